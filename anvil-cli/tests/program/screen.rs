//! On a terminal, which `script` of util-linux makes.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::{Ran, Site};

/// Runs the program on a terminal on which `input` is typed.
fn on_a_terminal(site: &Site, arguments: &str, input: &str) -> Ran {
    let anvil = env!("CARGO_BIN_EXE_anvil");
    let mut script = Command::new("script");
    script.args([
        "-q",
        "-e",
        "-c",
        &format!("{anvil} {arguments}"),
        "/dev/null",
    ]);
    script
        .env("ANVIL_REDIS", site.server.url())
        .env("ANVIL_QUEUE", "hooks");
    script
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = script.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    Ran::of(child.wait_with_output().unwrap())
}

#[tokio::test]
async fn a_bulk_run_asks_on_a_terminal() {
    let site = Site::with_dead(3, "x").await;
    let ran = on_a_terminal(&site, "dead discard --all", "n\n");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.data.contains("Discard them? [y/N]"), "{ran:?}");
    assert_eq!(site.stats().await.dead, 3);
    let ran = on_a_terminal(&site, "dead discard --all", "y\n");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(site.stats().await.dead, 0);
}

#[tokio::test]
async fn no_control_byte_of_a_payload_reaches_a_terminal() {
    let site = Site::with_dead(1, "\x1b]0;title\x07\x1b[2J").await;
    let id = site.ids()[0];
    for arguments in [
        format!("dead show {id}"),
        format!("dead show {id} --output json"),
    ] {
        let ran = on_a_terminal(&site, &arguments, "");
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(!ran.data.contains(['\x1b', '\x07']), "{ran:?}");
    }
    let ran = on_a_terminal(&site, &format!("dead show {id} --raw"), "");
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(
        !ran.data.contains('\x1b') && ran.data.contains("--force-raw"),
        "{ran:?}"
    );
    let ran = site.run(&format!("dead show {id} --raw"));
    assert_eq!(ran.data, "\x1b]0;title\x07\x1b[2J");
}
