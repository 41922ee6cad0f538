"""Microsoft Graph: every notification of the batch has the clientState of the subscription."""

from records import Sender, again, by, compact, escaped, spaced

STATE = "graph-client-state-0001"


def notification(ident, kind="updated", **state):
    return {"id": ident, "subscriptionId": "7f105c7d-2dc5-4530-97cd-000000000001",
            "changeType": kind, "resource": "Users/1/Messages/2", **state}


def records():
    make = Sender("microsoft-graph", STATE, names=by(kind="/value/0/changeType"))

    def good(ident, kind="updated"):
        return notification(ident, kind, clientState=STATE)

    def of(what, *values, why="", **options):
        return make(what, {}, compact({"value": list(values)}), why=why, **options)

    one, two = good("1"), good("2", "created")
    yield of("one notification", one)
    yield of("three notifications", one, two, good("3", "deleted"))
    noted = compact({"value": [{**one, "resource": "Mail/paid \U0001f389 caf\u00e9"}]})
    yield make("emoji and accents", {}, noted)
    yield make("emoji as escapes", {}, escaped(noted))
    batch = {"value": [one, two]}
    yield make("JSON with spaces, escapes and line ends", {}, spaced(batch))
    yield make("the same JSON, written again", {}, again(compact(batch)))
    state = STATE.replace("graph", "\\u0067raph").encode()
    yield make("clientState with an escape", {}, compact(batch).replace(STATE.encode(), state))
    yield of("two secrets at the receiver, the second sent", one,
             secrets=[make.former_secret, STATE])

    for what, value, why in [
        ("one bit of the clientState", STATE[:-1] + "0", "another secret"),
        ("clientState in capitals", STATE.upper(), "case matters"),
        ("the start of the clientState", STATE[:-1], "another secret"),
        ("more behind the clientState", STATE + "0", "another secret"),
        ("empty clientState", "", "no secret"),
        ("null for the clientState", None, "no secret"),
        ("a list for the clientState", [STATE], "no secret"),
    ]:
        bad = notification("9", clientState=value)
        yield of(what, bad, why=why)
        yield of(f"{what}, beside good ones", one, bad, two, why=why)
    missing = notification("9")
    yield of("no clientState", missing, why="no secret")
    yield of("no clientState in the last one", one, two, missing, why="no secret")
    yield of("clientState one level too high", {"resourceData": one}, why="no secret")
    yield of("no notifications", why="nothing proves the sender")
    for what, body in [
        ("no list", b"{}"),
        ("an object for the list", compact({"value": one})),
        ("the list alone", compact([one])),
        ("no JSON", STATE.encode()),
        ("body missing", b""),
        ("truncated JSON", compact({"value": [one]})[:-1]),
    ]:
        yield make(what, {}, body, why="nothing proves the sender")
    yield make("clientState in a header", {"clientState": STATE}, compact({"value": [missing]}),
               why="no secret")
