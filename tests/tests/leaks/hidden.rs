use anvil_tests::{Delivery, SIGNED_AT, Sender};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;

/// Everything that must not be shown, in every form that it could be shown in.
pub(crate) struct Hidden(Vec<String>);

impl Hidden {
    pub(crate) fn of(sender: Sender) -> Self {
        let mut needles = vec![
            sender.secret().to_owned(),
            IN_PAYLOAD.to_owned(),
            IN_STORED_HEADER.to_owned(),
            IN_OTHER_HEADER.to_owned(),
        ];
        let mut bytes = |bytes: &[u8]| {
            needles.extend(String::from_utf8(bytes.to_vec()));
            needles.push(hex::encode(bytes));
            needles.push(STANDARD.encode(bytes));
            // A list of numbers, as a derived `Debug` shows it.
            let numbers: Vec<_> = bytes[..8].iter().map(u8::to_string).collect();
            needles.push(numbers.join(", "));
        };
        bytes(&sender.key());
        bytes(sender.secret().as_bytes());
        for id in ["evt_1", "evt_1 ", "evt_2", "evt_3"] {
            for at in [SIGNED_AT - 4000, SIGNED_AT, SIGNED_AT + 4000] {
                bytes(&sender.mac(&body(id), at));
            }
        }
        Self(needles.iter().map(|needle| needle.to_lowercase()).collect())
    }

    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.found_in(text).is_some()
    }

    pub(crate) fn assert_not_in(&self, text: &str) {
        assert_eq!(self.found_in(text), None, "{text}");
    }

    /// `{:#?}` puts each number of a list on a line of its own, so space counts as none.
    fn found_in(&self, text: &str) -> Option<&str> {
        let squeeze = |text: &str| text.split_whitespace().collect::<String>();
        let text = squeeze(&text.to_lowercase());
        let mut needles = self.0.iter();
        needles
            .find(|needle| text.contains(&squeeze(needle)))
            .map(String::as_str)
    }
}

/// A body with a name and something to hide.
pub(crate) fn body(id: &str) -> Bytes {
    format!(r#"{{"id":"{id}","event_id":"{id}","type":"invoice.paid","card":"{IN_PAYLOAD}"}}"#)
        .into()
}

pub(crate) fn body_without_id() -> Bytes {
    format!(r#"{{"card":"{IN_PAYLOAD}"}}"#).into()
}

/// Adds headers that nobody may see, stored ones and others.
pub(crate) fn in_headers(delivery: Delivery) -> Delivery {
    delivery
        .header("traceparent", IN_STORED_HEADER)
        .header("authorization", format!("Bearer {IN_OTHER_HEADER}"))
        .header("cookie", format!("session={IN_OTHER_HEADER}"))
}

const IN_OTHER_HEADER: &str = "in-a-header-5d41";
const IN_PAYLOAD: &str = "in-the-payload-7f3a";
const IN_STORED_HEADER: &str = "in-a-stored-header-92eb";
