use std::process::Stdio;

use anvil_redis_fixture::Server;

use crate::{Ran, anvil};

fn run(arguments: &str, redis: &str) -> Ran {
    Ran::of(anvil(arguments).env("ANVIL_REDIS", redis).output().unwrap())
}

#[test]
fn an_unreachable_redis_is_named_with_its_address_and_never_its_password() {
    let server = Server::start();
    let port = server.port();
    server.kill();
    let redis = format!("redis://me:hidden@127.0.0.1:{port}");
    // Each is given some seconds to connect; at the same time that is no longer for all.
    let running = ["stats", "dead list", "dead replay --all --yes", "check"].map(|command| {
        let mut command = anvil(command);
        command.env("ANVIL_REDIS", &redis);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    });
    for program in running {
        let ran = Ran::of(program.wait_with_output().unwrap());
        assert_eq!((ran.code, ran.data.as_str()), (Some(3), ""), "{ran:?}");
        assert_eq!(ran.words.lines().count(), 1, "{ran:?}");
        assert!(ran.words.contains(&format!("127.0.0.1:{port}")), "{ran:?}");
        assert!(!ran.words.contains("hidden"), "{ran:?}");
    }
}

#[test]
fn a_wrong_password_is_no_secret_told() {
    let server = Server::builder().password("right").start();
    let ran = run(
        "stats",
        &format!("redis://:hidden@127.0.0.1:{}", server.port()),
    );
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(
        ran.words.contains("password") && !ran.words.contains("hidden"),
        "{ran:?}"
    );
}

#[test]
fn an_address_that_is_none_is_a_usage_error() {
    for redis in [
        "127.0.0.1:6379",
        "http://me:hidden@host",
        "redis://me:hidden@host:port",
    ] {
        let ran = run("stats", redis);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(!ran.words.contains("hidden"), "{ran:?}");
    }
    let ran = Ran::of(anvil("stats").output().unwrap());
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.words.contains("ANVIL_REDIS"), "{ran:?}");
}

#[test]
fn the_help_names_the_exit_codes_and_shows_no_password() {
    let ran = run("--help", "redis://me:hidden@host");
    assert_eq!((ran.code, ran.words.as_str()), (Some(0), ""), "{ran:?}");
    assert!(
        ran.data.contains("Exit codes:") && ran.data.contains("130"),
        "{ran:?}"
    );
    assert!(!ran.data.contains("hidden"), "{ran:?}");
    assert_eq!(run("dead replay", "redis://host").code, Some(2));
}
