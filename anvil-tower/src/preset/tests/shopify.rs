use crate::Preset;
use crate::testing::{BODY, SECRET, SHOPIFY, check, names};
use sha2::{Digest, Sha256};

#[test]
fn a_signed_body_passes_under_either_header_name() {
    let scheme = Preset::shopify(SECRET).unwrap();
    for name in ["X-Shopify-Hmac-SHA256", "shopify-hmac-sha256"] {
        assert!(check(&scheme, &[(name, SHOPIFY)], BODY).is_ok());
        assert_eq!(check(&scheme, &[(name, SHOPIFY)], "{}"), Err("mismatch"));
        assert_eq!(
            check(&scheme, &[(name, "fake")], BODY),
            Err("malformed_signature")
        );
        assert_eq!(
            check(&scheme, &[(name, "")], BODY),
            Err("missing_signature")
        );
    }
    assert_eq!(check(&scheme, &[], BODY), Err("missing_signature"));
}

#[test]
fn the_body_names_the_delivery_and_the_topic_is_its_kind() {
    let headers = [
        ("x-shopify-hmac-sha256", SHOPIFY),
        ("x-shopify-topic", "orders/create"),
        ("x-shopify-webhook-id", "b54557e4"),
    ];
    let (kind, id, part) = names(&Preset::shopify(SECRET).unwrap(), &headers, BODY);
    assert_eq!(kind, "orders/create");
    assert_eq!(id, Some(("b54557e4".into(), false)));
    assert_eq!(part, Sha256::digest(BODY).to_vec());
}
