//! A cluster: who owns what, and what the others answer.

use anvil_redis_fixture::{Cluster, Reply};

#[test]
fn every_slot_has_one_of_three_owners() {
    let cluster = Cluster::start();
    assert_eq!(cluster.urls().len(), 3);
    assert_eq!([0, 5461, 16_383].map(|slot| cluster.owner(slot)), [0, 1, 2]);
    let slot = cluster.slot("key");
    let owner = cluster.owner(slot);
    for (number, node) in cluster.nodes().iter().enumerate() {
        let reply = node.try_command(&["SET", "key", "value"]).unwrap();
        if number == owner {
            assert_eq!(reply, Reply::Status("OK".into()));
        } else {
            let port = cluster.nodes()[owner].port();
            let moved = format!("MOVED {slot} 127.0.0.1:{port}");
            assert_eq!(reply, Reply::Error(moved));
        }
    }
}

#[test]
fn a_slot_moves_with_its_keys() {
    let cluster = Cluster::start();
    let slot = cluster.slot("{tag}");
    let from = cluster.owner(slot);
    let to = (from + 1) % 3;
    for number in 0..250 {
        let key = format!("{{tag}}{number}");
        cluster.nodes()[from].command(&["SET", &key, "value"]);
    }
    cluster.migrate_slot(slot, to);
    assert_eq!(cluster.owner(slot), to);
    let count = ["CLUSTER", "COUNTKEYSINSLOT", &slot.to_string()];
    assert_eq!(cluster.nodes()[to].command(&count).integer(), 250);
    let reply = cluster.nodes()[from]
        .try_command(&["GET", "{tag}1"])
        .unwrap();
    assert!(reply.text().starts_with("MOVED "), "{reply:?}");
}

#[test]
fn a_slot_half_way_is_asked_for_at_its_new_owner() {
    let cluster = Cluster::start();
    let slot = cluster.slot("{tag}");
    let from = cluster.owner(slot);
    let to = (from + 1) % 3;
    let [old, new] = [from, to].map(|node| &cluster.nodes()[node]);
    old.command(&["MSET", "{tag}1", "value", "{tag}2", "value"]);

    let migration = cluster.begin_migration(slot, to);
    assert_eq!(migration.move_keys(1), 1);
    let replies = ["{tag}1", "{tag}2"].map(|key| old.try_command(&["GET", key]).unwrap());
    let ask = Reply::Error(format!("ASK {slot} 127.0.0.1:{}", new.port()));
    assert!(replies.contains(&ask), "{replies:?}");
    assert!(
        replies.contains(&Reply::Bulk("value".into())),
        "{replies:?}"
    );
    let both = old.try_command(&["MGET", "{tag}1", "{tag}2"]).unwrap();
    assert!(both.text().starts_with("TRYAGAIN "), "{both:?}");

    assert_eq!(migration.move_keys(10), 1);
    migration.finish();
    assert_eq!(new.command(&["GET", "{tag}1"]).text(), "value");
}

#[test]
fn a_cluster_without_replicas_is_down_with_a_node_and_up_again_with_it() {
    let cluster = Cluster::start();
    let [first, second, _] = cluster.nodes() else {
        panic!("there are three nodes");
    };
    first.command(&["CLUSTER", "COUNTKEYSINSLOT", "0"]);
    second.kill();
    anvil_redis_fixture::until(
        "the others notice",
        std::time::Duration::from_secs(15),
        || {
            let info = first.command(&["CLUSTER", "INFO"]);
            info.text().contains("cluster_state:fail").then_some(())
        },
    );
    second.restart();
    cluster.wait_until_ok();
    assert_eq!(cluster.owner(5461), 1);
}

#[test]
fn a_replica_takes_over_from_a_killed_owner() {
    let cluster = Cluster::start_with_replicas();
    let slot = cluster.slot("key");
    let killed = cluster.owner(slot);
    cluster.nodes()[killed].command(&["SET", "key", "value"]);
    cluster.nodes()[killed].command(&["WAIT", "1", "5000"]);
    cluster.kill_owner(slot);
    let owner = cluster.owner(slot);
    assert_ne!(owner, killed);
    assert_eq!(
        cluster.nodes()[owner].command(&["GET", "key"]).text(),
        "value"
    );
}

#[test]
fn a_replica_takes_over_when_asked_to() {
    let cluster = Cluster::start_with_replicas();
    let old = cluster.owner(0);
    cluster.fail_over(0);
    assert_eq!(cluster.owner(0), old + 3);
    let refused = cluster.nodes()[old]
        .try_command(&["SET", "{06S}", "1"])
        .unwrap();
    assert!(refused.text().starts_with("MOVED "), "{refused:?}");
}
