//! What the compiler tells a user who puts the parts together wrongly. Each case under
//! `compile-fail/` names the sentences that must be in the compiler's message; `control.rs` does
//! the same things right and must compile.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

#[test]
fn mistakes_are_answered_by_our_sentences() {
    let cases = cases();
    let project = write_project(&cases);
    let mut wrong = Vec::new();
    for case in &cases {
        let name = case.file_stem().unwrap().to_str().unwrap();
        let expected = expectations(case);
        let (compiles, message) = check(&project, name);
        if expected.is_empty() != compiles {
            wrong.push(format!("{name}: compiles = {compiles}\n{message}"));
        }
        for sentence in expected {
            if !message.contains(&sentence) {
                wrong.push(format!("{name}: no {sentence:?} in\n{message}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("compile-fail");
    let mut cases: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    cases.sort();
    assert!(cases.len() > 1, "no cases");
    cases
}

/// The sentences after `//! expect: `.
fn expectations(case: &Path) -> Vec<String> {
    let source = fs::read_to_string(case).unwrap();
    let expected = source
        .lines()
        .filter_map(|line| line.strip_prefix("//! expect: "));
    expected.map(str::to_owned).collect()
}

/// A project of its own beside the workspace, with a program per case and the workspace's
/// versions.
fn write_project(cases: &[PathBuf]) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let project = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compile-fail");
    fs::create_dir_all(&project).unwrap();
    let mut manifest = String::from(MANIFEST);
    for library in ["anvil-memory", "anvil-queue", "anvil-tower"] {
        let path = root.join(library);
        manifest.push_str(&format!("{library} = {{ path = {path:?} }}\n"));
    }
    for case in cases {
        let name = case.file_stem().unwrap().to_str().unwrap();
        manifest.push_str(&format!("\n[[bin]]\nname = {name:?}\npath = {case:?}\n"));
    }
    fs::write(project.join("Cargo.toml"), manifest).unwrap();
    fs::copy(root.join("Cargo.lock"), project.join("Cargo.lock")).unwrap();
    project
}

/// Whether a case compiles, and what the compiler says.
fn check(project: &Path, case: &str) -> (bool, String) {
    let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["check", "--quiet", "--offline", "--bin", case])
        .current_dir(project)
        .env("CARGO_TARGET_DIR", project.join("target"))
        .env("CARGO_TERM_COLOR", "never")
        .env_remove("RUSTFLAGS")
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.success(), message)
}

const MANIFEST: &str = r#"[package]
name = "compile-fail"
version = "0.0.0"
edition = "2024"

[workspace]

[dependencies]
axum = { version = "0.8", default-features = false }
tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
tower = { version = "0.5", default-features = false }
"#;
