"""Linear: Linear-Signature, the hexadecimal HMAC of the body; the time is in the body."""

from records import HEX, NOT_UTF8, Sender, bare, bodies, by, compact, mac, millis, seconds

EVENT = {
    "action": "create",
    "type": "Issue",
    "data": {"id": "2174add1-f7c8-44e3-bbf3-000000000001", "title": "A vector"},
    "url": "https://linear.app/issue/VEC-1",
    "webhookTimestamp": int(millis()),
    "webhookId": "000042e3-d123-4980-b49f-000000000002",
}
NAME = "Linear-Signature"


def records():
    make = Sender("linear", "lin_wh_secret_for_vectors", tolerance=60,
                  names=by(kind="Linear-Event", id="Linear-Delivery"),
                  headers={"Linear-Event": "Issue", "Linear-Timestamp": millis(),
                           "Linear-Delivery": "234d1a4e-b617-4388-90fe-000000000003"})

    def sign(body):
        return {NAME: mac(make.key, body).hex()}

    yield from bare(make, NAME, bodies(EVENT, empty=False, raw=False), HEX)

    def at(time):
        return compact({**EVENT, "webhookTimestamp": time})

    def stamped(what, time, why=""):
        body = at(time)
        return make(what, sign(body), body, why=why)

    yield stamped("60 s old", int(millis(-60)))
    yield stamped("60 s ahead", int(millis(60)))
    yield stamped("one millisecond older than 60 s", int(millis(-60, -1)), "stale")
    yield stamped("one millisecond more than 60 s ahead", int(millis(60, 1)), "from the future")
    yield stamped("a year old", int(millis(-31_536_000)), "stale")
    yield stamped("a year ahead", int(millis(31_536_000)), "from the future")
    yield stamped("seconds", int(seconds()), "stale in milliseconds")
    yield stamped("a word for the time", "soon", "no timestamp")
    yield stamped("null for the time", None, "no timestamp")
    yield make("renewed time, old signature", sign(at(int(millis()))), at(int(millis(1))),
               why="the body is not the one signed")
    old = at(int(millis(-3600)))
    yield make("an hour old, with a new unsigned header", sign(old), old,
               why="only the time in the body is signed")
    timeless = compact({key: EVENT[key] for key in EVENT if key != "webhookTimestamp"})
    yield make("no time in the body", sign(timeless), timeless, why="no timestamp")
    yield make("a body that is no JSON", sign(NOT_UTF8), NOT_UTF8, why="no timestamp")
