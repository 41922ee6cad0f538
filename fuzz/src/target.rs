use crate::presets::Presets;
use crate::settings;

/// What inputs are given to, and the inputs to begin with.
pub struct Target {
    pub name: &'static str,
    pub about: &'static str,
    pub seeds: Vec<Vec<u8>>,
    run: Run,
}

impl Target {
    pub fn all() -> Vec<Self> {
        let names = SENDERS.iter().map(|(name, ..)| *name);
        let names = names.chain(SETTINGS.iter().map(|(name, ..)| *name));
        names.filter_map(Self::named).collect()
    }

    pub fn named(name: &str) -> Option<Self> {
        if let Some((name, about, senders)) = SENDERS.iter().find(|target| target.0 == name) {
            let presets = Presets::of(senders);
            assert!(!presets.is_empty(), "there is no preset of {senders:?}");
            return Some(Self {
                name,
                about,
                seeds: presets.seeds(),
                run: Box::new(move |input| presets.run(input)),
            });
        }
        let (name, about, seeds, run) = SETTINGS.iter().find(|target| target.0 == name)?;
        Some(Self {
            name,
            about,
            seeds: seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect(),
            run: Box::new(run),
        })
    }

    pub fn run(&self, input: &[u8]) {
        (self.run)(input);
    }
}

/// Targets that show requests to the receivers of the vectors.
const SENDERS: &[(&str, &str, &[&str])] = &[
    ("presets", "requests to every preset", &[]),
    (
        "certificates",
        "certificates and their URLs",
        &["aws-sns", "paypal"],
    ),
    (
        "forms",
        "form bodies, and URLs that are signed",
        &["twilio"],
    ),
    (
        "handshakes",
        "requests that ask whether somebody is here",
        &[
            "asana",
            "discord",
            "dropbox",
            "meta",
            "microsoft-graph",
            "okta",
            "twitch",
            "whatsapp",
            "x",
            "zoom",
        ],
    ),
    ("jwt", "JSON Web Tokens", &["plaid"]),
];

type Run = Box<dyn Fn(&[u8])>;

type Setting = (
    &'static str,
    &'static str,
    &'static [&'static str],
    fn(&[u8]),
);

/// Targets that describe a sender, or a part of it.
const SETTINGS: &[Setting] = &[
    (
        "engine",
        "descriptions of senders, templates included",
        settings::DESCRIPTIONS,
        settings::description,
    ),
    (
        "pointers",
        "JSON pointers and bodies",
        settings::POINTERS,
        settings::pointer,
    ),
    (
        "public-url",
        "public URLs and targets",
        settings::URLS,
        settings::public_url,
    ),
    (
        "secrets",
        "secrets, in hex, base64 and text",
        settings::SECRETS,
        settings::secret,
    ),
    (
        "signatures",
        "signature headers, in hex and base64",
        settings::SIGNATURES,
        settings::signature,
    ),
    (
        "timestamps",
        "timestamps in headers and bodies",
        settings::TIMESTAMPS,
        settings::timestamp,
    ),
];
