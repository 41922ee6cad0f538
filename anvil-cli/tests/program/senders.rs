//! The commands that need no Redis: presets, verify, send.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anvil_memory::MemoryBackend;
use anvil_queue::{QueueBackend, QueueBackendExt, QueueName};
use anvil_tower::ingress;
use anvil_tower::preset::Facts;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;

use crate::Ran;

const SECRET: &str = "5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f";

/// A folder that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("anvil-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs the program without a queue, a Redis or anything else in its environment.
fn anvil(arguments: &[&str], input: &[u8]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_anvil"));
    command.args(arguments).env_clear();
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that reads nothing may be gone by now.
    let _ = child.stdin.take().unwrap().write_all(input);
    Ran::of(child.wait_with_output().unwrap())
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

fn sampled() -> impl Iterator<Item = &'static Facts> {
    Facts::all().filter(|facts| facts.has_sample())
}

#[test]
fn the_list_fits_a_terminal_and_has_every_sender() {
    let ran = anvil(&["presets"], b"");
    assert_eq!((ran.code, &*ran.words), (Some(0), ""), "{ran:?}");
    assert_eq!(ran.data.lines().count(), Facts::all().count() + 1);
    for line in ran.data.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    let ran = anvil(&["presets", "--output", "ids"], b"");
    let names: Vec<_> = Facts::all().map(Facts::name).collect();
    assert_eq!(ran.data.lines().collect::<Vec<_>>(), names);
}

#[test]
fn one_sender_and_json_have_everything() {
    let ran = anvil(&["presets", "github"], b"");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for part in [
        "GitHub",
        "x-hub-signature-256",
        "26214400 bytes",
        "https://docs.github.com",
    ] {
        assert!(ran.data.contains(part), "{part}: {}", ran.data);
    }
    let ran = anvil(&["presets", "--output", "json"], b"");
    let all: serde_json::Value = serde_json::from_str(&ran.data).unwrap();
    assert_eq!(all.as_array().unwrap().len(), Facts::all().count());
    let stripe = all
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["name"] == "stripe");
    let stripe = stripe.unwrap();
    assert_eq!(stripe["tolerance"]["past_seconds"], 300);
    assert_eq!(stripe["id_is_signed"], true);
    assert_eq!(stripe["success"]["status"], 202);
    assert_eq!(stripe["dedupe_window_seconds"], 259_200);

    let ran = anvil(&["presets", "hub"], b"");
    assert_eq!((ran.code, &*ran.data), (Some(2), ""), "{ran:?}");
    assert!(ran.words.contains("is it github"), "{ran:?}");
}

#[test]
fn the_page_of_the_senders_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/presets.md");
    let page = std::fs::read_to_string(path).unwrap_or_default();
    let written = anvil(&["presets", "--markdown"], b"").data;
    assert!(
        page == written,
        "docs/presets.md is not what is known of the senders; run `cargo xtask presets`"
    );
}

#[test]
fn what_is_printed_is_verified_for_every_sender_that_can_be_sampled() {
    let folder = Folder::new("print");
    let secret = folder.file("secret", format!("{SECRET}\n"));
    for facts in sampled() {
        let url = "https://hooks.example.com/in?a=b";
        let send = format!(
            "send --preset {} --secret-file {secret} --to {url} --id evt-1 --print",
            facts.name()
        );
        let printed = anvil(&words(&send), b"");
        assert_eq!(
            (printed.code, &*printed.words),
            (Some(0), ""),
            "{printed:?}"
        );
        assert!(!printed.data.contains(SECRET), "{printed:?}");
        let mut verify = format!(
            "verify --preset {} --secret-file {secret} --request -",
            facts.name()
        );
        if facts.described().needs_url {
            verify.push_str(&format!(" --url {url}"));
        }
        let ran = anvil(&words(&verify), printed.data.as_bytes());
        assert_eq!((ran.code, &*ran.words), (Some(0), ""), "{facts:?} {ran:?}");
        assert!(ran.data.contains("genuine"), "{ran:?}");

        let changed = printed
            .data
            .replacen("evt-1", "evt-2", 9)
            .replacen("test", "tset", 9);
        let explained = anvil(
            &words(&format!("{verify} --explain")),
            format!("{changed}?").as_bytes(),
        );
        assert_eq!(explained.code, Some(1), "{facts:?} {explained:?}");
        assert!(explained.data.contains("failed") && explained.data.contains("likely: "));
        assert!(!explained.data.contains(SECRET), "{explained:?}");
    }
}

#[tokio::test]
async fn every_sender_that_can_be_sampled_delivers_to_a_receiver() {
    let folder = Folder::new("send");
    let secret = folder.file("secret", SECRET);
    for facts in sampled() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/in?a=b", listener.local_addr().unwrap());
        let mut preset = facts.builder().secret(SECRET).allow_short_secret();
        if facts.described().needs_url {
            preset = preset.public_url(&url);
        }
        let backend = Arc::new(MemoryBackend::new());
        let queue = QueueName::new("hooks").unwrap();
        let store: Arc<dyn QueueBackend> = Arc::clone(&backend) as _;
        let hooks = ingress(preset.build().unwrap(), facts.name(), store, queue.clone());
        let server = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let service = TowerToHyperService::new(hooks.clone());
                let _ = hyper::server::conn::http1::Builder::new()
                    .serve_connection(TokioIo::new(stream), service)
                    .await;
            }
        });
        let line = format!(
            "send --preset {} --secret-file {secret} --to {url} --output json",
            facts.name()
        );
        let ran = tokio::task::spawn_blocking(move || anvil(&words(&line), b""))
            .await
            .unwrap();
        assert_eq!((ran.code, &*ran.words), (Some(0), ""), "{facts:?} {ran:?}");
        let answer: serde_json::Value = serde_json::from_str(&ran.data).unwrap();
        assert_eq!(
            answer["status"],
            facts.success().status().as_u16(),
            "{facts:?}"
        );
        let minute = Duration::from_secs(60);
        let job = backend.reserve_one(&queue, minute).await.unwrap();
        assert_eq!(job.unwrap().job.source(), facts.name());

        // Another secret is refused, and the status says so.
        let line = format!("send --preset {} --to {url}", facts.name());
        let ran = tokio::task::spawn_blocking(move || anvil(&words(&line), b""))
            .await
            .unwrap();
        assert_eq!(ran.code, Some(1), "{facts:?} {ran:?}");
        assert!(ran.words.contains("everybody knows"), "{ran:?}");
        server.abort();
    }
}

#[cfg(feature = "tls")]
#[tokio::test]
async fn https_is_spoken_with_a_server_that_the_system_trusts() {
    use rustls::ServerConfig;
    use rustls::pki_types::PrivateKeyDer;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    let folder = Folder::new("https");
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let trusted = folder.file("trusted.pem", made.cert.pem());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!(
        "https://localhost:{}/",
        listener.local_addr().unwrap().port()
    );
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            // A client that trusts nobody ends the handshake.
            if let Ok(mut stream) = acceptor.accept(stream).await {
                let _ = stream.read(&mut [0; 4096]).await;
                let answer = b"HTTP/1.1 204 No Content\r\n\r\n";
                let _ = stream.write_all(answer).await;
                let _ = stream.shutdown().await;
            }
        }
    });
    for (certificates, code) in [(Some(trusted), 0), (None, 1)] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_anvil"));
        command
            .args(["send", "--preset", "github", "--to", &url])
            .env_clear();
        if let Some(file) = certificates {
            command.env("SSL_CERT_FILE", file);
        }
        let output = tokio::task::spawn_blocking(move || command.output()).await;
        let ran = Ran::of(output.unwrap().unwrap());
        assert_eq!(ran.code, Some(code), "{ran:?}");
        assert_eq!(ran.data.contains("204 No Content"), code == 0, "{ran:?}");
    }
}

#[test]
fn a_sender_with_a_private_key_is_refused_with_the_reason() {
    for facts in Facts::all().filter(|facts| !facts.has_sample()) {
        let line = format!(
            "send --preset {} --to http://127.0.0.1:1/ --print",
            facts.name()
        );
        let ran = anvil(&words(&line), b"");
        assert_eq!((ran.code, &*ran.data), (Some(2), ""), "{facts:?} {ran:?}");
        assert!(ran.words.contains(&*facts.described().algorithm), "{ran:?}");
    }
}

#[test]
fn a_server_that_is_not_there_is_no_usage_error() {
    let ran = anvil(
        &words("send --preset github --to http://127.0.0.1:1/hooks"),
        b"",
    );
    assert_eq!((ran.code, &*ran.data), (Some(1), ""), "{ran:?}");
    assert!(
        ran.words.contains("no connection to 127.0.0.1:1"),
        "{ran:?}"
    );
    let ran = anvil(&words("send --preset github --to 127.0.0.1/hooks"), b"");
    assert_eq!(ran.code, Some(2), "{ran:?}");
}

#[test]
fn what_cannot_be_read_or_used_is_a_usage_error_that_tells_no_secret() {
    let folder = Folder::new("unreadable");
    let secret = folder.file("secret", "hidden hidden hidden \n");
    let right = folder.file("right", SECRET);
    let request = folder.file("request", "POST / HTTP/1.1\n\n{}");
    let broken = folder.file("broken", "hidden\n");
    for (line, part) in [
        (
            format!("--secret-file {secret} --request {request}"),
            "white space",
        ),
        (
            format!("--secret-file /nowhere --request {request}"),
            "/nowhere can't be read",
        ),
        (
            format!("--secret-file {right} --request /nowhere"),
            "/nowhere can't be read",
        ),
        (
            format!("--secret-file {right} --request {broken}"),
            "line 1 is no request line",
        ),
        (
            format!("--secret-file {right} --request {request} --output ids"),
            "no id",
        ),
        (
            format!("--secret-file {right} --request {request} --now noon"),
            "seconds since 1970",
        ),
        (format!("--request {request}"), "--secret-file"),
    ] {
        let ran = anvil(&words(&format!("verify --preset github {line}")), b"");
        assert_eq!((ran.code, &*ran.data), (Some(2), ""), "{line} {ran:?}");
        assert!(ran.words.contains(part), "{ran:?}");
        assert!(!ran.words.contains("hidden"), "{ran:?}");
    }
    let line =
        format!("verify --preset github --secret-file {secret} --request {request} --explain");
    let ran = anvil(&words(&line), b"");
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(
        !ran.words.contains("hidden") && !ran.data.contains("hidden"),
        "{ran:?}"
    );
}

#[test]
fn an_explanation_is_json_for_programs() {
    let folder = Folder::new("json");
    let secret = folder.file("secret", "It's a Secret to Everybody\r\n");
    let head = "POST /hooks HTTP/1.1\nX-Hub-Signature-256: sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17\n\n";
    let genuine = folder.file("genuine", format!("{head}Hello, World!"));
    let longer = folder.file("longer", format!("{head}Hello, World!\n"));
    let line = format!("verify --preset github --secret-file {secret} --output json --explain");
    let ran = anvil(&words(&format!("{line} --request {genuine}")), b"");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let json: serde_json::Value = serde_json::from_str(&ran.data).unwrap();
    assert_eq!(
        (&json["verdict"], &json["kind"]),
        (&"genuine".into(), &"webhook".into())
    );
    let ran = anvil(&words(&format!("{line} --request {longer}")), b"");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let json: serde_json::Value = serde_json::from_str(&ran.data).unwrap();
    assert_eq!(
        (&json["verdict"], &json["status"]),
        (&"refused".into(), &401.into())
    );
    assert_eq!(json["causes"][0]["cause"], "body_changed");
    assert_eq!(json["steps"][4]["outcome"], "failed");
}

#[test]
fn no_control_byte_of_a_request_reaches_a_terminal() {
    let folder = Folder::new("escape");
    let secret = folder.file("secret", SECRET);
    let request = "POST /\n\n\x1b[2J";
    let line = format!("verify --preset github --secret-file {secret} --request - --explain");
    for format in ["table", "json"] {
        let ran = anvil(
            &words(&format!("{line} --output {format}")),
            request.as_bytes(),
        );
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(
            !ran.data.contains('\x1b') && !ran.words.contains('\x1b'),
            "{ran:?}"
        );
    }
}
