#!/usr/bin/env python3
"""Writes NAME.json for every preset: signed requests and what has to be said of each.

This is a second implementation of the signature schemes, in another language and from the senders'
documentation, so that a mistake in the first is not checked against itself. The same text comes out
of every run. README.md describes the fields.
"""

import importlib
import json
from pathlib import Path

HERE = Path(__file__).parent


def main():
    total = 0
    for path in sorted((HERE / "senders").glob("[a-z]*.py")):
        records = list(importlib.import_module(f"senders.{path.stem}").records())
        provider = path.stem.replace("_", "-")
        names = [record["name"] for record in records]
        assert {record["provider"] for record in records} == {provider}, provider
        assert len(set(names)) == len(names), f"{provider}: two records share a name"
        text = json.dumps(records, indent=1) + "\n"
        (HERE / f"{provider}.json").write_text(text)
        valid = sum(record["expect"] == "valid" for record in records)
        print(f"{provider}: {len(records)} records, {valid} valid")
        total += len(records)
    print(f"{total} records")


if __name__ == "__main__":
    main()
