//! What the documents say about the repository is true of it.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn every_test_that_the_architecture_names_exists() {
    let sources: Vec<_> = files(&root(), "rs")
        .iter()
        .map(|file| fs::read_to_string(file).unwrap())
        .collect();
    let architecture = fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let mut named = 0;
    for row in architecture.lines().filter(|line| line.starts_with("| G")) {
        let shown_by = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        for name in shown_by.split('`').skip(1).step_by(2) {
            let definitions = [format!("fn {name}("), format!("fn {name}<")];
            let exists = sources.iter().any(|source| {
                definitions
                    .iter()
                    .any(|definition| source.contains(definition))
            });
            assert!(exists, "no test is called {name}: {row}");
            named += 1;
        }
    }
    assert!(named >= 12, "each guarantee names a test");
}

#[test]
fn every_link_within_the_repository_leads_somewhere() {
    for document in files(&root(), "md") {
        let text = fs::read_to_string(&document).unwrap();
        for link in links(&text) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match path {
                "" => document.clone(),
                path => document.parent().unwrap().join(path),
            };
            let place = document.display();
            assert!(target.exists(), "{place}: {link}");
            if !anchor.is_empty() {
                let target = fs::read_to_string(target).unwrap();
                assert!(anchors(&target).contains(anchor), "{place}: {link}");
            }
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All files below `folder` with this ending, except what is built or hidden.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !["node_modules", "target"].contains(&&*name) && !name.starts_with('.')
        {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|found| found == ending) {
            found.push(path);
        }
    }
    found
}

/// The targets of the links that stay within the repository.
fn links(markdown: &str) -> impl Iterator<Item = &str> {
    markdown
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(link, _)| link)
        .filter(|link| !link.contains("://"))
}

/// What a link can point at within a document.
fn anchors(markdown: &str) -> HashSet<String> {
    markdown
        .lines()
        .filter(|line| line.starts_with('#'))
        .map(|heading| {
            heading
                .trim_start_matches('#')
                .trim()
                .to_lowercase()
                .chars()
                .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
                .map(|c| if c == ' ' { '-' } else { c })
                .collect()
        })
        .collect()
}
