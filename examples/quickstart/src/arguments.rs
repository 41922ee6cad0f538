use crate::store::check_url;

/// What was asked for on the command line.
#[derive(Debug)]
pub(crate) struct Arguments {
    pub(crate) once: bool,
    pub(crate) port: u16,
    /// The URL; none for a queue in memory.
    pub(crate) redis: Option<String>,
}

impl Arguments {
    /// What was asked for; nothing where that is help.
    pub(crate) fn parse(mut given: impl Iterator<Item = String>) -> Result<Option<Self>, String> {
        let mut arguments = Self {
            once: false,
            port: 3000,
            redis: None,
        };
        while let Some(argument) = given.next() {
            let (name, value) = match argument.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (argument.as_str(), None),
            };
            match name {
                "--help" | "-h" => return Ok(None),
                "--once" if value.is_none() => arguments.once = true,
                "--port" => {
                    let value = value.or_else(|| given.next());
                    let value = value.ok_or("--port needs a number")?;
                    arguments.port = value
                        .parse()
                        .map_err(|_| format!("{value:?} is not a port: use 0 to 65535"))?;
                }
                "--redis" => {
                    let url = value.or_else(|| given.next());
                    let url = url.ok_or("--redis needs a URL, such as redis://127.0.0.1:6379")?;
                    // What was written is not repeated: it may have a password in it.
                    check_url(&url).map_err(|error| format!("--redis: {error}"))?;
                    arguments.redis = Some(url);
                }
                _ => return Err(format!("{argument:?} is not an option")),
            }
        }
        Ok(Some(arguments))
    }
}

pub(crate) const USAGE: &str = "\
Receives webhooks on 127.0.0.1 and plays signed deliveries at itself.

Usage: quickstart [--port N] [--redis URL] [--once]

  --port N     listen on this port; 0 takes a free one (default 3000)
  --redis URL  queue in this Redis, such as redis://127.0.0.1:6379 (default: in memory)
  --once       end after the play: 0 if the accounting is right, 1 if not
  --help       show this
";
