"""Svix: Standard Webhooks with svix-* headers; webhook-* as well."""

from records import NOW, Sender, b64, by, compact, mac
from senders.standard_webhooks import KEY, family

EVENT = {
    "type": "invoice.paid",
    "timestamp": "2026-09-21T14:13:19Z",
    "data": {"id": "inv_0001", "amount": 4200},
}


def records():
    yield from family("svix", "svix", EVENT)
    body = compact(EVENT)
    make = Sender("svix", "whsec_" + b64(KEY), "whsec_base64", tolerance=300,
                  names=by(kind="/type", id="webhook-id", signed=True))
    signature = b64(mac(make.key, f"msg_vectors0001.{NOW}.".encode() + body))
    headers = {"webhook-id": "msg_vectors0001", "webhook-timestamp": str(NOW),
               "webhook-signature": f"v1,{signature}"}
    yield make("header names of Standard Webhooks", headers, body)
