use anvil_tower::preset::Facts;

use super::{id, no_timestamp, or_none, refusal, retries, success, tolerance};
use crate::explain::brief;

/// The page of all senders.
pub(super) fn page() -> String {
    let mut page = HEAD.to_owned();
    for facts in Facts::all() {
        let described = facts.described();
        let signed_id = match (described.id.is_empty(), described.id_is_signed) {
            (true, _) => "-",
            (false, true) => "signed",
            (false, false) => "not signed",
        };
        let time = described.tolerance.map(|(past, _)| brief(past));
        let cells = [
            format!("[{}](#{})", facts.name(), facts.name()),
            facts.title().to_owned(),
            described.algorithm.into_owned(),
            signed_id.to_owned(),
            time.unwrap_or_else(|| "-".to_owned()),
            brief(facts.dedupe_window()),
            facts.success().status().as_u16().to_string(),
        ];
        page.push_str(&format!(
            "| {} |\n",
            cells.map(|cell| in_table(&cell)).join(" | ")
        ));
    }
    for facts in Facts::all() {
        page.push_str(&section(facts));
    }
    page
}

fn section(facts: &'static Facts) -> String {
    let described = facts.described();
    let mut text = format!("\n## {}\n\n{}.\n\n", facts.name(), plain(facts.title()));
    let mut add = |name: &str, value: &str| text.push_str(&format!("- {name}: {value}\n"));
    let signed = match &*described.signed_content {
        "" => String::new(),
        content => format!(", over {}", code(content)),
    };
    let (algorithm, place) = (plain(&described.algorithm), plain(&described.signature));
    add("signature", &format!("{algorithm} in {place}{signed}"));
    add(
        "timestamp",
        &described.tolerance.map_or_else(no_timestamp, tolerance),
    );
    if described.needs_url {
        add("public URL", "signed, and has to be configured");
    }
    add("id", &plain(&id(facts)));
    add("kind", &plain(&or_none(&described.kind)));
    let retries = format!(
        "{}; dedupe window {}",
        retries(facts),
        brief(facts.dedupe_window())
    );
    add("retries", &retries);
    let answers = format!(
        "success {}; refusal {}",
        plain(&success(facts)),
        refusal(facts)
    );
    add("answers", &answers);
    add("body", &format!("at most {} bytes", facts.body_limit()));
    if let Some(about) = facts.handshake() {
        add("handshake", &plain(about));
    }
    if facts.is_batch() {
        add(
            "batch",
            "a request holds several events; the handler splits it",
        );
    }
    for statement in facts.unconfirmed() {
        add("unconfirmed", &plain(statement));
    }
    for source in facts.sources() {
        add("source", &format!("<{source}>"));
    }
    text
}

/// Text in which nothing is taken for a mark.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => plain.push(' '),
            '\\' | '`' | '*' | '_' | '<' | '>' | '[' | ']' | '|' => plain.extend(['\\', c]),
            _ => plain.push(c),
        }
    }
    plain
}

/// Text as it is, with line ends shown.
fn code(text: &str) -> String {
    let text = text.replace('\n', "\\n");
    let fence = if text.contains('`') { "``" } else { "`" };
    format!("{fence}{text}{fence}")
}

fn in_table(cell: &str) -> String {
    cell.replace('|', "\\|").replace('\n', " ")
}

const HEAD: &str = "\
<!-- Written by `cargo xtask presets`; change the facts in anvil-tower/src/preset instead. -->
# Senders

Each sender below has a preset in `anvil-tower`: `Preset::NAME` by its name, or
`Facts::named(\"name\")`. `anvil presets` lists the same, `anvil verify` judges a captured request by it,
and `anvil send` makes a sample delivery.

*Id* says whether the signature covers the id that the sender gives a delivery. Where it does not, or
where there is none, the digest of what was signed names the delivery. *Time* is how old a signed
timestamp may be, *window* how long a delivery has to be remembered. What a section calls *unconfirmed*
is taken for true without a page of the sender that says so.

| name | sender | signature | id | time | window | answer |
|---|---|---|---|---|---|---|
";
