"""PagerDuty: X-PagerDuty-Signature, v1=<hex of the HMAC of the body>[,v1=...]."""

from records import HEX, Sender, bare, bodies, by, compact, mac

EVENT = {
    "event": {
        "id": "01VECTORS0001",
        "event_type": "incident.triggered",
        "resource_type": "incident",
        "occurred_at": "2026-09-21T14:13:19.000Z",
        "data": {"id": "PGR0VU2", "type": "incident", "title": "A vector"},
    },
}
NAME = "X-PagerDuty-Signature"


def records():
    make = Sender("pagerduty", "pagerduty-webhook-secret-0001",
                  names=by(kind="/event/event_type", id="/event/id"))
    yield from bare(make, NAME, bodies(EVENT), HEX, "v1=")
    plain = compact(EVENT)
    good, other = mac(make.key, plain).hex(), mac(make.other_key, plain).hex()
    for what, value in [
        ("rotation: the first is of the old secret", f"v1={other},v1={good}"),
        ("rotation: the last is of the old secret", f"v1={good},v1={other}"),
        ("a version nobody knows beside the good one", f"v2={other},v1={good}"),
    ]:
        yield make(what, {NAME: value}, plain)
    for what, value, why in [
        ("two signatures, both wrong", f"v1={other},v1={other}", "none matches"),
        ("the good digest as v2", f"v1={other},v2={good}", "no good v1"),
        ("commas alone", ",,,", "nothing to read"),
    ]:
        yield make(what, {NAME: value}, plain, why=why)
