mod github;
mod shopify;
mod slack;
mod standard_webhooks;
mod stripe;
