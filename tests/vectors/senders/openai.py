"""OpenAI: Standard Webhooks. The id of the delivery is in the header, not the id of the event."""

from senders.standard_webhooks import family

EVENT = {
    "id": "evt_vectors0001",
    "object": "event",
    "created_at": 1789999999,
    "type": "response.completed",
    "data": {"id": "resp_0001"},
}


def records():
    return family("openai", "webhook", EVENT)
