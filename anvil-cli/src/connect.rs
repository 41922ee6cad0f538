use std::sync::Arc;

use anvil_redis::RedisBackend;

use crate::args::{Cli, Command};
use crate::exit::{Exit, with_causes};

/// The backend that the arguments name. Anything but `check` wants one that is reached and fit to
/// keep jobs; `check` is there to say what is wrong with it.
pub(crate) async fn connect(cli: &Cli) -> Result<Arc<RedisBackend>, (Exit, String)> {
    let connection = &cli.connection;
    let Some(url) = &connection.redis else {
        let message = "which Redis? give --redis URL or set ANVIL_REDIS";
        return Err((Exit::Usage, message.to_owned()));
    };
    let wrong = |error| (Exit::Usage, with_causes(&error));
    let mut builder = RedisBackend::builder(url).map_err(wrong)?;
    if let Some(prefix) = &connection.prefix {
        builder = builder.prefix(prefix);
    }
    let backend = builder.adopt_settings().build().map_err(wrong)?;
    if !matches!(cli.command, Command::Check) {
        let failed = |error| (Exit::Store, with_causes(&error));
        let health = backend.check().await.map_err(failed)?;
        if let Some(finding) = health.findings.iter().find(|finding| finding.fatal) {
            return Err((Exit::Store, finding.text.clone()));
        }
    }
    Ok(Arc::new(backend))
}
