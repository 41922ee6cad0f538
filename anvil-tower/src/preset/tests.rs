#[cfg(all(
    feature = "ecdsa",
    feature = "ed25519",
    feature = "jwt",
    feature = "rsa"
))]
mod asymmetric;
mod github;
mod shopify;
mod slack;
mod standard_webhooks;
mod stripe;
