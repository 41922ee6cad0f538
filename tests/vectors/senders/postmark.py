"""Postmark: HTTP basic authentication; the secret is user:password."""

from records import Sender, b64, bodies, by, compact

EVENT = {
    "RecordType": "Bounce",
    "ID": 4323372036854775807,
    "Type": "HardBounce",
    "MessageID": "883953f4-6105-42a2-a16a-000000000001",
    "Email": "vectors@example.com",
}
NAME = "Authorization"


def records():
    make = Sender("postmark", "postmark-user:postmark:password-01",
                  names=by(kind="/RecordType", id="/MessageID", signed=False))

    def basic(text):
        return {NAME: "Basic " + b64(text.encode())}

    secret, plain = make.secret, compact(EVENT)
    for what, body in bodies(EVENT).items():
        yield make(what, basic(secret), body)
    yield make("two secrets at the receiver, the second sent", basic(secret), plain,
               secrets=[make.former_secret, secret])
    user, _, password = secret.partition(":")
    for what, headers, why in [
        ("one bit of the password", basic(secret[:-1] + "0"), "another password"),
        ("another user", basic(f"{user}2:{password}"), "another user"),
        ("user in capitals", basic(f"{user.upper()}:{password}"), "case matters"),
        ("the start of the password", basic(secret[:-1]), "another password"),
        ("more behind the password", basic(secret + "0"), "another password"),
        ("password up to its colon", basic(secret.rpartition(":")[0]), "another password"),
        ("no password", basic(f"{user}:"), "another password"),
        ("no user", basic(f":{password}"), "another user"),
        ("no colon", basic(user + password), "neither user nor password"),
        ("nothing behind the scheme", {NAME: "Basic"}, "no secret"),
        ("no base64", {NAME: f"Basic {secret}"}, "not base64"),
        ("truncated base64", {NAME: basic(secret)[NAME][:-3]}, "not base64"),
        ("another scheme", {NAME: basic(secret)[NAME].replace("Basic", "Bearer")}, "not basic"),
        ("no scheme", {NAME: b64(secret.encode())}, "not basic"),
        ("no header", {}, "no secret"),
        ("empty header", {NAME: ""}, "no secret in the header"),
        ("two headers that differ", {NAME: [basic(secret)[NAME], basic(user)[NAME]]},
         "two answers to one question"),
    ]:
        yield make(what, headers, plain, why=why)
