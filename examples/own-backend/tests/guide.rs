//! The guide quotes this crate, so what it shows is compiled and passes the suite.

const GUIDE: &str = include_str!("../../../docs/backend-guide.md");
const SOURCES: [&str; 8] = [
    include_str!("../src/control.rs"),
    include_str!("../src/dead.rs"),
    include_str!("../src/enqueue.rs"),
    include_str!("../src/lib.rs"),
    include_str!("../src/queue.rs"),
    include_str!("../src/reserve.rs"),
    include_str!("../src/settle.rs"),
    include_str!("conformance.rs"),
];

#[test]
fn every_piece_of_rust_in_the_guide_is_taken_from_this_crate() {
    let sources = SOURCES.map(flush_left);
    let pieces = pieces(GUIDE);
    assert!(!pieces.is_empty(), "the guide shows no Rust");
    for piece in pieces {
        let found = sources.iter().any(|source| source.contains(&piece));
        assert!(found, "not in the sources:\n{piece}");
    }
}

/// The Rust blocks of a Markdown text.
fn pieces(markdown: &str) -> Vec<String> {
    markdown
        .split("```rust\n")
        .skip(1)
        .filter_map(|rest| rest.split_once("```"))
        .map(|(piece, _)| flush_left(piece))
        .collect()
}

/// The text without indentation, which a quotation need not keep.
fn flush_left(text: &str) -> String {
    text.lines()
        .flat_map(|line| [line.trim_start(), "\n"])
        .collect()
}
