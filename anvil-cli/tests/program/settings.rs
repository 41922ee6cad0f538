use std::time::Duration;

use anvil_redis::RedisBackend;
use anvil_redis_fixture::Server;

use crate::Site;

#[tokio::test]
async fn the_window_and_the_partitions_of_a_queue_need_not_be_told() {
    let server = Server::start();
    let services = RedisBackend::builder(&server.url())
        .unwrap()
        .partitions(4)
        .dedupe_window(Duration::from_secs(60))
        .build()
        .unwrap();
    let site = Site::with_dead_of(server, services, 20, "{}").await;

    assert_eq!(site.ids().len(), 20);
    let replayed = site.run("dead replay --all --yes");
    assert_eq!(replayed.code, Some(0), "{replayed:?}");
    let stats = site.stats().await;
    assert_eq!((stats.ready, stats.dead), (20, 0));
    let checked = site.run("fsck");
    assert_eq!(checked.code, Some(0), "{checked:?}");
}
