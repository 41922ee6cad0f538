"""Telegram: the secret of the webhook in X-Telegram-Bot-Api-Secret-Token.

The type of an update is the name of the field beside its id.
"""

import json

from records import Sender, bodies, compact, look, token

EVENT = {
    "update_id": 10000001,
    "message": {"message_id": 1365, "date": 1789999999, "text": "hello",
                "chat": {"id": 1111111, "type": "private"}},
}


def names(headers, body):
    ident = look("/update_id", headers, body)
    if ident is None:
        return {"id": None, "id_signed": False}
    kinds = [name for name in json.loads(body) if name not in ("update_id", "note")]
    return {"kind": kinds[0], "id": ident, "id_signed": False}


def records():
    make = Sender("telegram", "Telegram-secret_token-01", names=names)
    yield from token(make, "X-Telegram-Bot-Api-Secret-Token", bodies(EVENT))
    query = {"update_id": 10000002, "callback_query": {"id": "4382bfdwdsb323b2d9", "data": "x"}}
    sent = {"X-Telegram-Bot-Api-Secret-Token": make.secret}
    yield make("a callback query", sent, compact(query))
