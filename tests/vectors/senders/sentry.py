"""Sentry: Sentry-Hook-Signature, the hexadecimal HMAC of the body."""

from records import HEX, Sender, bare, bodies, by

EVENT = {
    "action": "created",
    "installation": {"uuid": "a8e5d37a-696c-4c54-adb5-000000000001"},
    "data": {"issue": {"id": "1170820242", "title": "ReferenceError: vectors"}},
}


def records():
    make = Sender("sentry", "sentry-client-secret-0001",
                  names=by(kind="Sentry-Hook-Resource", id="Request-ID"),
                  headers={
                      "Sentry-Hook-Resource": "issue",
                      "Sentry-Hook-Timestamp": "1790000000",
                      "Request-ID": "c9a1c8e4f1b54e6e8a10000000000001",
                  })
    yield from bare(make, "Sentry-Hook-Signature", bodies(EVENT), HEX)
