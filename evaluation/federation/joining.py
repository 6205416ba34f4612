"""A small site joins another one: its results under opaque names, sealed for that site alone, never for the centre."""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING, Any, Final

from evaluation.assessment.exclusions import GRADES
from evaluation.canonical import canonical_json
from evaluation.federation.errors import FederationError, Refusal
from evaluation.federation.reading import check_form, read_canonical
from evaluation.federation.schemas import MOST_ALGORITHMS, SITE_NAME

if TYPE_CHECKING:
    from collections.abc import Iterable

_ALIAS: Final = b"podium-joined-1\0"
_DIGITS: Final = 16
_MOST_BYTES: Final = 64 * 2**20
_DIGEST: Final = {"type": "string", "pattern": "[0-9a-f]{64}", "title": "64 hexadecimal digits"}
_SITE: Final = {"type": "string", "pattern": SITE_NAME, "title": "the name of a site"}
_CASE: Final = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "case": {"type": "string", "minLength": 1, "maxLength": 200},
        "leaf": _DIGEST,
        "grade": {"enum": list(GRADES)},
        "levels": {"type": "object"},
    },
    "required": ["case", "leaf", "grade", "levels"],
}
HAND_OVER: Final[dict[str, Any]] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "schema": {"const": "podium.site-handed-over/1"},
        "site": _SITE,
        "to": _SITE,
        "federation": _DIGEST,
        "package": _DIGEST,
        "algorithms": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": MOST_ALGORITHMS},
        "cases": {"type": "array", "items": _CASE, "minItems": 1, "maxItems": 10_000},
        "results": {"type": "string"},
    },
    "required": ["schema", "site", "to", "federation", "package", "algorithms", "cases", "results"],
}
"""Schema of a transfer between sites: results of every algorithm as a table, and the leaves of the seal."""


def opaque(secret: bytes, site: str, names: Iterable[str]) -> dict[str, str]:
    """Names of cases or patients under which another site sees them: it can neither read nor test them.

    Examples
    --------
    >>> opaque(bytes(32), "tiny", ["case_1"])
    {'case_1': 'tiny-8aa701d38a7644ad'}
    """
    return {name: f"{site}-{hmac.digest(secret, _ALIAS + name.encode(), 'sha256').hex()[:_DIGITS]}" for name in names}


def new_identity() -> tuple[str, str]:
    """Create a site's key for transfers from other sites, and its public recipient (age, X25519).

    The key decrypts the transfers; the site shares the recipient with the other sites.
    """
    import pyrage

    identity = pyrage.x25519.Identity.generate()
    return str(identity), str(identity.to_public())


def recipient_of(identity: str) -> str:
    """Return the public recipient for a site's key, which the site shares with other sites."""
    import pyrage

    return str(pyrage.x25519.Identity.from_str(identity.strip()).to_public())


def sealed_for(recipient: str, document: dict[str, Any]) -> bytes:
    """Encrypt a hand-over for one site.

    Raises
    ------
    FederationError
        If that is no recipient.
    """
    import pyrage

    check_form(document, HAND_OVER)
    try:
        whom = pyrage.x25519.Recipient.from_str(recipient.strip())
    except pyrage.RecipientError:
        message = "this is no recipient of a site: it begins with age1, and podium site status shows it there"
        raise FederationError(message) from None
    return bytes(pyrage.encrypt(canonical_json(document).encode(), [whom]))


def opened(identity: str, data: bytes) -> dict[str, Any]:
    """Decrypt and read a transfer from another site.

    Raises
    ------
    FederationError
        If it was made for another site, was changed, or has an invalid form.
    """
    import pyrage

    if len(data) > _MOST_BYTES:
        raise Refusal("malformed", f"the file has {len(data)} bytes; at most {_MOST_BYTES} are read")
    try:
        plain = pyrage.decrypt(data, [pyrage.x25519.Identity.from_str(identity.strip())])
    except pyrage.DecryptError:
        message = "this file was not made for this site, or was changed on its way"
        raise FederationError(message) from None
    document = read_canonical(bytes(plain), most=_MOST_BYTES)
    check_form(document, HAND_OVER)
    return document
