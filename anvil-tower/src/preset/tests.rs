mod adyen;
#[cfg(all(
    feature = "ecdsa",
    feature = "ed25519",
    feature = "jwt",
    feature = "rsa"
))]
mod asymmetric;
mod commerce;
mod github;
mod hook0;
mod mailgun;
mod messaging;
mod payments;
mod shopify;
mod slack;
mod standard_webhooks;
mod stripe;
mod tokens;
mod twilio;
