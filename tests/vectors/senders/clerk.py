"""Clerk: sends through Svix."""

from senders.standard_webhooks import family

EVENT = {
    "data": {"id": "user_29w83sxmDNGwOuEthce5gg56FcC", "first_name": "Ada", "object": "user"},
    "object": "event",
    "timestamp": 1789999999000,
    "type": "user.created",
}


def records():
    return family("clerk", "svix", EVENT)
