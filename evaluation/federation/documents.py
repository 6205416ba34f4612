"""Forms of what the centre of a federation writes, and of the question by which a site asks for its package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evaluation.canonical import sha256
from evaluation.federation.envelope import open_envelope
from evaluation.federation.errors import Refusal
from evaluation.federation.reading import check_form, read_canonical
from evaluation.federation.schemas import MOST_ALGORITHMS, SITE_NAME

if TYPE_CHECKING:
    from collections.abc import Mapping

_DIGEST: Final = {"type": "string", "pattern": "[0-9a-f]{64}", "title": "64 hexadecimal digits"}
_SITE: Final = {"type": "string", "pattern": SITE_NAME, "title": "the name of a site"}
_TIME: Final = {"type": "string", "pattern": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "title": "a moment"}
_TEXT: Final = {"type": "string", "maxLength": 20_000}
_NAME: Final = {"type": "string", "minLength": 1, "maxLength": 300}


def _object(properties: dict[str, Any], *optional: str) -> dict[str, Any]:
    required = [key for key in properties if key not in optional]
    return {"type": "object", "additionalProperties": False, "properties": properties, "required": required}


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}


_FILE: Final = _object({"sha256": _DIGEST, "size": {"type": "integer", "minimum": 1, "maximum": 2**40}})
_IMAGE: Final = {"type": "string", "pattern": "sha256:[0-9a-f]{64}", "title": "sha256: and 64 digits"}
_PARTS: Final = _object(
    {
        "config": _FILE,
        "layers": {
            "type": "array",
            "minItems": 1,
            "maxItems": 200,
            "items": _object({"diff_id": _IMAGE, **_FILE["properties"]}),
        },
    }
)
"""Files of an image: its configuration, whose SHA-256 is the digest of the image, and its layers from the lowest up."""
_ALGORITHM: Final = _object(
    {
        # It names folders at sites.
        "name": {
            "type": "string",
            "pattern": SITE_NAME,
            "title": "a name of letters, digits, dots, underscores, hyphens",
        },
        "image": _or_null(_IMAGE),
        "parts": _PARTS,
        # Whether a site may bring predictions instead of running the image.
        "predictions": {"type": "boolean"},
    },
    "parts", "predictions",
)  # fmt: skip
CENTRE: Final[Mapping[str, dict[str, Any]]] = {
    "site-invitation": _object(
        {
            "schema": {"const": "podium.site-invitation/1"},
            "site": _SITE,
            "federation": _DIGEST,
            "challenge": _NAME,
            "phase": _NAME,
            "address": {"type": "string", "maxLength": 500},
            "key": {**_DIGEST, "title": "the public key of the installation"},
            "invitation": {"type": "string", "pattern": "[0-9a-f]{32}", "title": "32 hexadecimal digits"},
            "expires_at": _TIME,
            "terms": _object({"text": _TEXT, "digest": _DIGEST}),
        }
    ),
    "site-package": _object(
        {
            "schema": {"const": "podium.site-package/1"},
            "federation": _DIGEST,
            "version": {"type": "integer", "minimum": 1, "maximum": 10_000},
            "challenge": _NAME,
            "phase": _NAME,
            "closes_at": _TIME,
            "assessment": {"type": "object"},
            "assessment_digest": _DIGEST,
            "algorithms": {"type": "array", "items": _ALGORITHM, "minItems": 2, "maxItems": MOST_ALGORITHMS},
            # What images are given and write, with the limits of a start (`evaluation.running.interface`).
            "interface": {"type": "object"},
            "dry_run": _or_null(
                _object(
                    {
                        "sha256": _DIGEST,
                        "size": {"type": "integer", "minimum": 1, "maximum": 2**40},
                        "relative_tolerance": {"type": "number", "minimum": 0, "maximum": 1},
                    }
                )
            ),
            "rules": _object(
                {
                    "site_column": {"type": "string", "minLength": 1, "maxLength": 100},
                    "minimum_units": {"type": "integer", "minimum": 10, "maximum": 1_000_000},
                    "disclosure": {"enum": ["places", "means", "moments"]},
                    "replicates": {"type": "integer", "minimum": 200, "maximum": 10_000},
                    "small_sites": {"enum": ["refuse", "join"]},
                },
                "small_sites",
            ),
        },
        "interface",
    ),
    "receipt": _object(
        {
            "schema": {"const": "podium.receipt/1"},
            "site": _SITE,
            "sequence": {"type": "integer", "minimum": 1, "maximum": 1_000_000_000},
            "payload": _DIGEST,
            "received_at": _TIME,
            "state": {"type": "string", "maxLength": 50},
            "audit": _object({"sequence": {"type": "integer", "minimum": 1, "maximum": 2**53}, "digest": _DIGEST}),
        }
    ),
}
"""Documents that the centre signs, by the word in their type."""
REQUEST: Final = _object(
    {
        "schema": {"const": "podium.site-request/1"},
        "site": _SITE,
        "federation": _DIGEST,
        "sent_at": _TIME,
        "wanted": {"anyOf": [{"const": "package"}, _DIGEST]},
    }
)
"""Schema of a site's request for its package, or for a file of the package by its SHA-256."""


def digest_of(document: Mapping[str, Any]) -> str:
    """SHA-256 of the canonical form of a document."""
    return sha256(document)


def read_signed(data: bytes, keys: Mapping[str, bytes], kind: str) -> dict[str, Any]:
    """Open what the centre signed.

    Parameters
    ----------
    data
        An envelope.
    keys
        Public keys that are accepted, by their id.
    kind
        A key of `CENTRE`.

    Raises
    ------
    Refusal
        As `open_envelope`, or ``invalid`` for a document of another kind or form.
    """
    opened = open_envelope(data, keys)
    if opened.kind != kind:
        raise Refusal("invalid", f"this is a signed {opened.kind}, not a {kind}")
    document = read_canonical(opened.body)
    check_form(document, CENTRE[kind])
    return document
