"""WhatsApp Business: the scheme of Meta."""

from records import HEX, Sender, bare, bodies, by

EVENT = {
    "object": "whatsapp_business_account",
    "entry": [{"id": "200300400", "changes": [{"field": "messages", "value": {
        "messaging_product": "whatsapp",
        "messages": [{"from": "15550100", "id": "wamid.VECTORS0001", "type": "text"}],
    }}]}],
}


def records():
    make = Sender("whatsapp", "whatsapp-app-secret-vectors-0001", names=by(kind="/object"))
    yield from bare(make, "X-Hub-Signature-256", bodies(EVENT), HEX, "sha256=")
