"""AWS SNS: the signature is in the body: base64 RSA, SHA-1 for version 1 and SHA-256 for version 2.

Signed are the names and values of some fields, a line each.
"""

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

from asymmetric import certificate, private_key
from records import NOTE, Form, Sender, again, b64, by, compact, escaped, spaced

HOST = "https://sns.eu-central-1.amazonaws.com"
URL = f"{HOST}/SimpleNotificationService-vectors0001.pem"
ANOTHER = f"{HOST}/SimpleNotificationService-vectors0002.pem"
FOREIGN = {
    "certificate in a bucket of S3": "https://sns-eu-central-1.s3.amazonaws.com/vectors.pem",
    "certificate on a host that starts like Amazon's": f"{HOST}.example.net/vectors.pem",
    "certificate on a host behind Amazon's as a user": f"{HOST}@example.net/vectors.pem",
    "certificate without TLS": URL.replace("https", "http"),
    "certificate that is no .pem": f"{HOST}/?Action=GetTopicAttributes",
}
NOTIFICATION = {
    "Type": "Notification",
    "MessageId": "22b80b92-fdea-4c2c-8f9d-000000000001",
    "TopicArn": "arn:aws:sns:eu-central-1:123456789012:vectors",
    "Message": "{\"order\":1}",
    "Timestamp": "2026-09-21T14:13:19.000Z",
    "UnsubscribeURL": f"{HOST}/?Action=Unsubscribe",
}
CONFIRMATION = {
    "Type": "SubscriptionConfirmation",
    "MessageId": "165545c9-2a5c-472c-8df2-000000000002",
    "Token": "2336412f37fb687f5d51e6e241d09c805a5a57b30d712f794cc5f6a988666d92768dd60a747ba6f3beb",
    "TopicArn": "arn:aws:sns:eu-central-1:123456789012:vectors",
    "Message": "You have chosen to subscribe to the topic.",
    "SubscribeURL": f"{HOST}/?Action=ConfirmSubscription",
    "Timestamp": "2026-09-21T14:13:19.000Z",
}


def text(message):
    """What is signed; a subject counts where there is one."""
    if message["Type"] == "Notification":
        names = ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"]
    else:
        names = ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"]
    return "".join(f"{name}\n{message[name]}\n" for name in names if name in message).encode()


def sign(message, key, version="2", url=URL, hashed=None):
    hashed = hashed or {"1": hashes.SHA1()}.get(version, hashes.SHA256())
    signature = key.sign(text(message), padding.PKCS1v15(), hashed)
    return {**message, "SignatureVersion": version, "Signature": b64(signature),
            "SigningCertURL": url}


def records():
    key, other = private_key("aws_sns"), private_key("aws_sns_other")
    mine, foreign = certificate("aws_sns"), certificate("aws_sns_other")
    sender = Sender("aws-sns", certificates={URL: mine},
                    names=by(kind="x-amz-sns-message-type", id="/MessageId"))

    def make(what, message, why="", **options):
        body = message if isinstance(message, bytes) else compact(message)
        confirms = CONFIRMATION["MessageId"].encode() in body
        kind = "SubscriptionConfirmation" if confirms else "Notification"
        headers = {"Content-Type": "text/plain; charset=UTF-8", "x-amz-sns-message-type": kind}
        return sender(what, headers, body, why=why, **options)

    plain = sign(NOTIFICATION, key)
    yield make("notification", plain)
    yield make("notification, version 1", sign(NOTIFICATION, key, "1"))
    subject = {**NOTIFICATION, "Subject": "A vector"}
    yield make("notification with a subject", sign(subject, key))
    noted = sign({**NOTIFICATION, "Message": NOTE}, key)
    yield make("emoji and accents", noted)
    yield make("emoji as escapes", escaped(compact(noted)))
    lines = sign({**NOTIFICATION, "Message": "two\nlines\nType\nNotification"}, key)
    yield make("a message of several lines", lines)
    yield make("the same JSON, written again", again(compact(plain)))
    yield make("JSON with spaces, escapes and line ends", spaced(plain))
    yield make("fields in another order", dict(reversed(plain.items())))
    attribute = {"colour": {"Type": "String", "Value": "red"}}
    yield make("attributes, which are not signed", {**plain, "MessageAttributes": attribute})
    yield make("subscription confirmation", sign(CONFIRMATION, key))
    yield make("subscription confirmation, version 1", sign(CONFIRMATION, key, "1"))

    for name, value in [
        ("Message", "{\"order\":2}"),
        ("MessageId", "22b80b92-fdea-4c2c-8f9d-000000000009"),
        ("Timestamp", "2026-09-21T14:13:20.000Z"),
        ("TopicArn", "arn:aws:sns:eu-central-1:123456789012:other"),
        ("Type", "SubscriptionConfirmation"),
    ]:
        yield make(f"another {name}", {**plain, name: value}, why="the field is signed")
    yield make("a subject added", {**plain, "Subject": "A vector"}, why="the field is signed")
    without = {name: value for name, value in sign(subject, key).items() if name != "Subject"}
    yield make("a subject removed", without, why="the field is signed")
    confirmation = {**sign(CONFIRMATION, key), "SubscribeURL": "https://example.net/"}
    yield make("another SubscribeURL", confirmation, why="the field is signed")
    for name in ["Message", "MessageId", "Signature", "SignatureVersion", "SigningCertURL", "Type"]:
        rest = {field: value for field, value in plain.items() if field != name}
        yield make(f"no {name}", rest, why="the field has to be there")
    twice = compact(plain).replace(b'{"Type"', b'{"Message":"other","Type"')
    yield make("two messages, the last is signed", twice, why="two answers to one question")
    yield make("no object", b"[]", why="nothing to verify")
    yield make("no JSON", b"Message=hello", why="nothing to verify")
    yield make("body missing", b"", why="nothing to verify")

    yield make("wrong key", sign(NOTIFICATION, other), why="signed with another key")
    yield make("another certificate of Amazon", {**plain, "SigningCertURL": ANOTHER},
               why="signed with another key", certificates={URL: mine, ANOTHER: foreign})
    yield make("a certificate that is not there", {**plain, "SigningCertURL": f"{HOST}/none.pem"},
               why="no key")
    for what, url in FOREIGN.items():
        yield make(what, sign(NOTIFICATION, other, url=url), why="not a certificate of SNS",
                   certificates={url: foreign})
    form = Form("base64", 256)
    value = plain["Signature"]
    yield make("one bit of the signature", {**plain, "Signature": form.flipped(value)},
               why="another signature")
    yield make("empty signature", {**plain, "Signature": ""}, why="no signature")
    for what, changed, why in form.malformed(value):
        if changed:
            yield make(what, {**plain, "Signature": changed}, why=why)
    yield make("version 3", sign(NOTIFICATION, key, "3"), why="only 1 and 2 are known")
    yield make("version 2 signed with SHA-1", sign(NOTIFICATION, key, "2", hashed=hashes.SHA1()),
               why="version 2 is SHA-256")
    yield make("version 1 signed with SHA-256",
               sign(NOTIFICATION, key, "1", hashed=hashes.SHA256()), why="version 1 is SHA-1")
