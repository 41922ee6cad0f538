//! The little of a manifest that the checks need.
//!
//! Enough for this workspace's manifests, which keep one key a line; it is no TOML parser.

/// The name of the package, unless it says `publish = false`.
pub(super) fn published_name(manifest: &str) -> Option<String> {
    let value = |key| {
        table(manifest, "package").find_map(|line| match line.split_once('=') {
            Some((name, value)) if name.trim() == key => Some(value.trim().trim_matches('"')),
            _ => None,
        })
    };
    if value("publish") == Some("false") {
        return None;
    }
    value("name").map(str::to_owned)
}

/// The features of the package, `default` left out.
pub(super) fn features(manifest: &str) -> Vec<String> {
    let mut features = Vec::new();
    let mut open_brackets = 0;
    for line in table(manifest, "features") {
        if open_brackets == 0
            && let Some((name, _)) = line.split_once('=')
        {
            let name = name.trim().trim_matches('"');
            if name != "default" {
                features.push(name.to_owned());
            }
        }
        open_brackets += line.matches('[').count();
        open_brackets -= line.matches(']').count().min(open_brackets);
    }
    features
}

/// The lines of one table, without comments and blank lines.
fn table<'a>(manifest: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    let header = format!("[{name}]");
    manifest
        .lines()
        .map(str::trim)
        .skip_while(move |line| *line != header)
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_listed_without_the_default() {
        let manifest = "[features]\ndefault = [\"json\"]\n# why\njson = []\nnone = []\n\n[dependencies]\nbytes = \"1\"\n";
        assert_eq!(features(manifest), ["json", "none"]);
    }

    #[test]
    fn a_list_over_several_lines_is_one_feature() {
        let manifest = "[features]\nall = [\n    \"a=b\",\n    \"json\",\n]\njson = []\n";
        assert_eq!(features(manifest), ["all", "json"]);
    }

    #[test]
    fn a_crate_without_features_has_none() {
        assert!(features("[package]\nname = \"x\"\n").is_empty());
    }

    #[test]
    fn only_published_packages_have_a_name_here() {
        assert_eq!(
            published_name("[package]\nname = \"x\"\n").as_deref(),
            Some("x")
        );
        assert_eq!(
            published_name("[package]\nname = \"x\"\npublish = false\n"),
            None
        );
    }

    #[test]
    fn a_name_in_another_table_is_not_the_package_name() {
        let manifest = "[[bench]]\nname = \"speed\"\n\n[package]\nname = \"x\"\n";
        assert_eq!(published_name(manifest).as_deref(), Some("x"));
    }
}
