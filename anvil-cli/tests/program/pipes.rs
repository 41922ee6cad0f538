use crate::Site;

#[tokio::test]
async fn dead_letters_are_replayed_from_a_pipe() {
    let site = Site::with_dead(30, "x").await;
    let line = "anvil dead list --limit 10 --output ids | xargs anvil dead replay --output ids";
    let ran = site.shell(line);
    assert_eq!(
        (ran.code, ran.data.lines().count()),
        (Some(0), 10),
        "{ran:?}"
    );
    let ran = site.run("dead replay --all --yes");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(
        ran.data,
        "PLANNED  REPLAYED  SUPERSEDED  LEFT\n20       20        0           0\n"
    );
    let stats = site.stats().await;
    assert_eq!((stats.ready, stats.dead), (30, 0));
    let ran = site.run("stats");
    assert!(ran.data.contains("replayed     30"), "{ran:?}");
}

#[tokio::test]
async fn a_reader_that_has_enough_ends_the_program_silently() {
    let site = Site::with_dead(200, "x").await;
    for format in ["table", "jsonl", "ids"] {
        let line = format!(
            "anvil dead list --limit 200 --output {format} | true; echo ${{PIPESTATUS[0]}}"
        );
        let ran = site.shell(&line);
        assert_eq!(
            (ran.data.as_str(), ran.words.as_str()),
            ("0\n", ""),
            "{format}"
        );
    }
}

#[tokio::test]
async fn jobs_that_wait_are_looked_at_and_cancelled() {
    let site = Site::with_dead(2, "payload").await;
    let id = site.ids()[0];
    assert_eq!(site.run("dead replay --all --yes").code, Some(0));
    let ran = site.run("peek --output ids");
    assert_eq!(ran.data.lines().next(), Some(&*id.to_string()));
    let ran = site.run(&format!("cancel {id}"));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.data.contains("removed"), "{ran:?}");
    assert_eq!(site.stats().await.ready, 1);
}

#[tokio::test]
async fn check_says_what_is_wrong_with_a_redis() {
    let site = Site::with_dead(1, "x").await;
    let ran = site.run("check --output json");
    let json: serde_json::Value = serde_json::from_str(&ran.data).unwrap();
    let sound = json["findings"].as_array().unwrap().is_empty();
    assert_eq!(ran.code, Some(i32::from(!sound)), "{ran:?}");
    assert!(json["version"].as_str().unwrap().contains('.'), "{ran:?}");
}

#[tokio::test]
async fn fsck_finds_a_job_whose_body_is_gone_and_mends_it_on_request() {
    let site = Site::with_dead(3, "x").await;
    let ran = site.run("fsck --output json");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(
        ran.data,
        "{\"jobs\":3,\"incomplete\":false,\"problems\":[]}\n"
    );

    assert_eq!(site.run("dead replay --all --yes").code, Some(0));
    let lost = site.lose_a_body();
    let ran = site.run("fsck --output ids");
    assert_eq!((ran.code, ran.data), (Some(1), format!("{lost}\n")));
    assert!(ran.words.contains("--repair mends them"), "{}", ran.words);
    let ran = site.run("fsck --repair");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(site.run("fsck").code, Some(0));
}
