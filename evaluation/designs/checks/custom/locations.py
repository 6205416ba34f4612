"""Checks of data locations: usable addresses and digests."""

import re

from evaluation.designs.checks.registry import Subject, register


@register("data_locations", reads=("data_locations",))
def data_locations(subject: Subject) -> str | None:
    """Data elsewhere have an https address, and digests have the form of SHA-256."""
    wrong = []
    for number, row in enumerate(subject.values.rows("data_locations"), start=1):
        url, digest = str(row.get("url") or ""), str(row.get("sha256") or "")
        if row.get("place") == "linked" and not url.startswith("https://"):
            wrong.append(f"row {number} names no address beginning with https://")
        if digest and not re.fullmatch(r"[0-9a-fA-F]{64}", digest.strip()):
            wrong.append(f"the SHA-256 of row {number} does not have 64 hexadecimal digits")
    return f"{'; '.join(wrong)[:1].upper()}{'; '.join(wrong)[1:]}." if wrong else None
