"""Coinbase Developer Platform: sends through Hook0."""

from senders.hook0 import family

EVENT = {
    "eventType": "onramp.transaction.success",
    "data": {"orderId": "0001", "status": "ONRAMP_TRANSACTION_STATUS_SUCCESS"},
}


def records():
    return family("coinbase-cdp", "coinbase-cdp-secret-vectors-01", EVENT, EVENT["eventType"])
