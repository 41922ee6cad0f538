use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::{Ran, Site};

#[tokio::test]
async fn ctrl_c_stops_a_bulk_run_and_the_printed_command_does_the_rest() {
    let site = Site::with_dead(60, "x").await;
    let mut command = site.anvil("dead replay --all --rate 20/s --yes --output ids");
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let running = command.spawn().unwrap();
    let begun = Instant::now();
    while site.stats().await.ready < 3 {
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "nothing was replayed"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let pid = running.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    let first = Ran::of(running.wait_with_output().unwrap());
    assert_eq!(first.code, Some(130), "{first:?}");
    let done = first.data.lines().count();
    assert!((3..60).contains(&done), "{first:?}");
    assert_eq!(site.stats().await.ready, done);

    let rest = first
        .words
        .lines()
        .find(|line| line.starts_with("  anvil "))
        .unwrap();
    assert!(
        !rest.contains("redis://"),
        "what is in the environment is not printed: {rest}"
    );
    let second = site.shell(&rest.replace("--rate=20/s ", ""));
    assert_eq!(second.code, Some(0), "{second:?}");
    assert_eq!(second.data.lines().count(), 60 - done);
    assert_eq!(site.stats().await.ready, 60);
}
