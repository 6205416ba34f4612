"""The part of a design that becomes public with its registration.

It contains no personal data. Embargoed values appear only as digests.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from designs.models import DesignVersion
from evaluation.designs.catalogue import shipped
from evaluation.designs.document import Document, from_json, public_form, to_json
from evaluation.designs.document.sealing import commitment

EMAIL_LEFT_OUT: Final = "[e-mail address left out]"
NUMBER_LEFT_OUT: Final = "[telephone number left out]"
CHALLENGE: Final = "challenge"
_STATE: Final = "__state"
_EMAIL = re.compile(
    r"""(?:mailto:)?[\w.+'-]+            # the part before the sign
        (?:@|\s*[(\[{]\s*at\s*[)\]}]\s*) # the sign, also as “(at)”
        [\w-]+                           # the host
        (?:(?:\.|\s*[(\[{]\s*dot\s*[)\]}]\s*)[\w-]+)+""",
    re.VERBOSE | re.IGNORECASE,
)
# Digits alone could be anything in a design; the word before them says what they are.
_TELEPHONE = re.compile(r"\b((?:tele)?(?:phone|fax)|tel|mobile)(\.?:?\s*)\+?\d[\d\s()/.-]{5,}\d", re.IGNORECASE)


@dataclass(frozen=True)
class Publication:
    """The public document of a version, and what it keeps under seal.

    `left_out` counts texts from which an address or number was taken.
    """

    document: dict[str, Any]
    sealed: dict[str, dict[str, Any]]
    left_out: int


def without_contacts(text: str) -> str:
    """Return a text without e-mail addresses and telephone numbers.

    Examples
    --------
    >>> without_contacts("Write to ada.lovelace@example.org.")
    'Write to [e-mail address left out].'
    >>> without_contacts("ada (at) example (dot) org; tel. +49 6221 420")
    '[e-mail address left out]; tel. [telephone number left out]'
    >>> without_contacts("sensitivity @ 0.5 false positives, 512x512 at 1.5 mm")
    'sensitivity @ 0.5 false positives, 512x512 at 1.5 mm'
    """
    return _TELEPHONE.sub(rf"\1\2{NUMBER_LEFT_OUT}", _EMAIL.sub(EMAIL_LEFT_OUT, text))


def publication(data: Mapping[str, Any], sealed: Mapping[str, Mapping[str, Any]]) -> Publication:
    """Make the public document of an exported one.

    Parameters
    ----------
    data
        As `evaluation.designs.document.to_json` writes it.
    sealed
        Embargoed values with their nonces by place, as `DesignVersion.sealed` holds them.
    """
    catalogue = shipped()
    visible = public_form(data, catalogue=catalogue)
    masked, left_out = _masked(visible)
    # A digest covers the numbers as the canonical form writes them, and a round through the types of the catalogue
    # would lose what an older version of it allowed: so the document is taken as it is.
    public_secrets = {
        field_path: dict(secret)
        for field_path, secret in sealed.items()
        if digest_at(masked, field_path) and catalogue[field_path.split("/", 1)[1]].visibility == "public"
    }
    return Publication(masked, public_secrets, left_out)


def publication_of(version: DesignVersion) -> Publication:
    """The public document of a frozen design."""
    return publication(version.document, version.sealed)


def exported(document: Document | Mapping[str, Any]) -> Mapping[str, Any]:
    """A document as JSON values, whichever way it is given."""
    return to_json(document, catalogue=shipped()) if isinstance(document, Document) else document


def parsed(data: Mapping[str, Any]) -> Document:
    """A registered document as the pages and the comparison read it."""
    return from_json(data, catalogue=shipped(), lenient=True)[0]


def digest_at(data: Mapping[str, Any], field_path: str) -> str:
    """The public commitment to an embargoed value; empty where nothing is withheld."""
    where, parameter = field_path.split("/", 1)
    state = _entries(data, where).get(parameter + _STATE)
    return str(state.get("digest", "")) if isinstance(state, Mapping) else ""


def withheld(data: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Every embargoed place of a document with its event and digest."""
    embargoes = {}
    for where in (CHALLENGE, *(str(task["key"]) for task in data["tasks"])):
        for key, state in _entries(data, where).items():
            if key.endswith(_STATE) and isinstance(state, Mapping) and state.get("digest"):
                embargoes[f"{where}/{key.removesuffix(_STATE)}"] = (str(state.get("event", "")), str(state["digest"]))
    return embargoes


def proves(secret: Mapping[str, Any], digest: str) -> bool:
    """Return whether a value with its nonce matches the committed digest."""
    return commitment(secret["value"], secret["nonce"]) == digest


def tells_contacts(value: Any) -> bool:
    """Return whether a value contains an address or number that a public document omits."""
    return _masked(value)[1] > 0


def _entries(data: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    if where == CHALLENGE:
        entries: Mapping[str, Any] = data["challenge"]
        return entries
    return next((task for task in data["tasks"] if task["key"] == where), {})


def _masked(value: Any) -> tuple[Any, int]:
    if isinstance(value, str):
        text = without_contacts(value)
        return text, int(text != value)
    if isinstance(value, Mapping):
        parts = {key: _masked(item) for key, item in value.items()}
        return {key: item for key, (item, _) in parts.items()}, sum(count for _, count in parts.values())
    if isinstance(value, list):
        items = [_masked(item) for item in value]
        return [item for item, _ in items], sum(count for _, count in items)
    return value, 0
