"""Resend: sends through Svix."""

from senders.standard_webhooks import family

EVENT = {
    "type": "email.delivered",
    "created_at": "2026-09-21T14:13:19.000Z",
    "data": {"email_id": "56761188-7520-42d8-8898-000000000001", "to": ["vectors@example.com"]},
}


def records():
    return family("resend", "svix", EVENT)
