"""Polar: Standard Webhooks, for the secrets of 2026-09-08 and later; older ones are verbatim."""

from senders.standard_webhooks import family

EVENT = {
    "type": "order.paid",
    "timestamp": "2026-09-21T14:13:19Z",
    "data": {"id": "b2a6f0f2-0000-4000-8000-000000000001", "total_amount": 4200},
}


def records():
    return family("polar", "webhook", EVENT)
