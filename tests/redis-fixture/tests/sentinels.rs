//! Sentinels: who is the master, and that the others agree.

use anvil_redis_fixture::{Reply, Sentinels, Server};

fn role(node: &Server) -> String {
    node.command(&["ROLE"]).array()[0].text().to_owned()
}

#[test]
fn a_killed_master_is_replaced_by_its_replica_with_the_data() {
    let sentinels = Sentinels::start();
    sentinels.master().command(&["SET", "key", "value"]);
    sentinels.master().command(&["WAIT", "1", "5000"]);
    let killed = sentinels.kill_master();
    let master = sentinels.master();
    assert_ne!(master.port(), killed.port());
    assert_eq!(role(master), "master");
    assert_eq!(master.command(&["GET", "key"]).text(), "value");
    master.command(&["SET", "key", "new"]);

    killed.restart();
    sentinels.wait_until_in_sync();
    assert_eq!(role(killed), "slave");
    assert_eq!(killed.command(&["GET", "key"]).text(), "new");
}

#[test]
fn the_roles_can_be_exchanged_again_and_again() {
    let sentinels = Sentinels::start();
    for _ in 0..2 {
        let old = sentinels.master();
        sentinels.fail_over();
        assert_eq!(role(old), "slave");
        assert_eq!(role(sentinels.master()), "master");
        let refused = old.try_command(&["SET", "key", "value"]).unwrap();
        assert!(refused.text().starts_with("READONLY "), "{refused:?}");
    }
}

#[test]
fn every_sentinel_names_the_same_master() {
    let sentinels = Sentinels::start();
    assert_eq!(sentinels.sentinel_urls().len(), 3);
    let master = sentinels.master().port().to_string();
    for sentinel in sentinels.sentinels() {
        let name = sentinels.master_name();
        let address = sentinel.command(&["SENTINEL", "GET-MASTER-ADDR-BY-NAME", name]);
        let expected = ["127.0.0.1", &master].map(|text| Reply::Bulk(text.into()));
        assert_eq!(address.array(), expected);
    }
}

#[test]
fn two_sentinels_are_enough() {
    let sentinels = Sentinels::start();
    sentinels.sentinels()[0].kill();
    let killed = sentinels.kill_master().port();
    assert_ne!(sentinels.master().port(), killed);
}
