"""Hook0: X-Hook0-Signature, t=<seconds>,h=<names>,v1=<hex> with v1 over t, names, values and body.

The older v0 is over t and body. Where there is a v1, nothing but the v1 counts.
"""

from records import HEX, NOW, Sender, bodies, look, mac, millis, seconds, signed, timed

EVENT = {"user": {"id": "u_0001", "plan": "free"}, "reason": "signup"}
NAME = "X-Hook0-Signature"


def records():
    return family("hook0", "hook0-subscription-secret-01", EVENT, "user.account.created")


def names(headers, body):
    """The type is a header; so is the id, and it is signed where the v1 covers it."""
    report = {"kind": look("X-Event-Type", headers, body)}
    fields = dict(part.partition("=")[::2] for part in look(NAME, headers, body).split(","))
    covered = fields.get("h", "").split(" ") if "v1" in fields else []
    return report | {"id": look("X-Event-Id", headers, body), "id_signed": "x-event-id" in covered}


def family(provider, secret, event, kind):
    ident = "0b1e2c3d-4f50-4a61-8b72-000000000001"
    sent = {"Content-Type": "application/json", "X-Event-Id": ident, "X-Event-Type": kind}
    make = Sender(provider, secret, tolerance=300, names=names, headers=sent)
    listed = "content-type x-event-id x-event-type"

    def v0(body, key=make.key, at=seconds()):
        return mac(key, f"{at}.".encode() + body).hex()

    def v1(body, key=make.key, at=seconds(), listed=listed, values=sent.values()):
        return mac(key, f"{at}.{listed}.{'.'.join(values)}.".encode() + body).hex()

    def sign(body, key=make.key, at=seconds(), shown=None):
        return {NAME: f"t={shown or at},h={listed},v1={v1(body, key, at)}"}

    plain = bodies(event)["compact JSON"]
    yield from signed(make, sign, bodies(event), NAME, HEX, "v1=")
    yield from timed(make, sign, plain, seconds, 300)

    good0, good1 = v0(plain), v1(plain)
    bad0, bad1 = v0(plain, make.other_key), v1(plain, make.other_key)
    one, none = "x-event-id", (ident,)
    for what, value in [
        ("v0 alone", f"t={NOW},v0={good0}"),
        ("v0 and v1", f"t={NOW},v0={good0},h={listed},v1={good1}"),
        ("good v1 beside a wrong v0", f"t={NOW},v0={bad0},h={listed},v1={good1}"),
        ("one header listed", f"t={NOW},h={one},v1={v1(plain, listed=one, values=none)}"),
    ]:
        yield make(what, {NAME: value}, plain)
    for what, value, why in [
        ("wrong v1 beside a good v0", f"t={NOW},v0={good0},h={listed},v1={bad1}", "a downgrade"),
        ("undecodable v1 beside a good v0", f"t={NOW},v0={good0},h={listed},v1=none",
         "a downgrade"),
        ("empty v1 beside a good v0", f"t={NOW},v0={good0},h={listed},v1=", "a downgrade"),
        ("v1 of the text of v0", f"t={NOW},h={listed},v1={good0}", "another signed text"),
        ("v0 of the text of v1", f"t={NOW},h={listed},v0={good1}", "another signed text"),
        ("wrong v0 alone", f"t={NOW},v0={bad0}", "another digest"),
        ("another order of the names",
         f"t={NOW},h=x-event-id content-type x-event-type,v1={good1}", "the names are signed"),
        ("a name less", f"t={NOW},h=content-type x-event-id,v1={good1}", "the names are signed"),
        ("no time", f"h={listed},v1={good1}", "no timestamp"),
    ]:
        yield make(what, {NAME: value}, plain, why=why)
    yield make("another id", {**sign(plain), "X-Event-Id": ident[:-1] + "2"}, plain,
               why="the header is signed")
    yield make("another type", {**sign(plain), "X-Event-Type": "user.account.removed"}, plain,
               why="the header is signed")
    yield make("a listed header is not there", {**sign(plain), "X-Event-Id": None}, plain,
               why="the header is signed")
    yield make("milliseconds", sign(plain, at=millis()), plain, why="from the future")
