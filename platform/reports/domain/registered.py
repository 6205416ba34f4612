"""Registered values of a design as sentences of a paper, each a claim about a parameter and its value.

A sentence states what was registered, never what happened later. `reports.services.items.claims` contains the latter.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evaluation.claims.catalogue import Catalogue, Claim
from evaluation.wording import joined
from reports.domain.phrases import CHOICES, DATA, LISTS, MERGED, NONE, NOTHING, PATTERNS, RATERS
from reports.exposure.domain.words import term


@dataclass(frozen=True)
class Registered:
    """An entry of the design.

    Attributes
    ----------
    identity
        Identifier of the parameter.
    value
        Value as stored in the design.
    labels
        Label of the value, or of each of several values.
    is_none
        Whether the organizers state that there is none.
    """

    identity: str
    value: Any = None
    labels: Sequence[str] = ()
    is_none: bool = False


def _is(identity: str, value: str) -> Callable[[Registered], bool]:
    return lambda entry: entry.identity == identity and not entry.is_none and entry.value == value


def _chose_none(identity: str) -> Callable[[Registered], bool]:
    return lambda entry: entry.identity == identity and not entry.is_none and list(entry.value) == ["none"]


def _has(identity: str, *, several: bool) -> Callable[[Registered], bool]:
    def true(entry: Registered) -> bool:
        has_labels = bool(entry.labels) if several else len(entry.labels) == 1 and bool(entry.labels[0])
        return entry.identity == identity and not entry.is_none and has_labels

    return true


def _declared(identity: str) -> Callable[[Registered], bool]:
    return lambda entry: entry.identity == identity and entry.is_none


def _plain(words: str) -> Callable[[Registered], str]:
    return lambda _: words


def _listed(pattern: str) -> Callable[[Registered], str]:
    return lambda entry: pattern.format(joined([term(label) for label in entry.labels]))


def _around(pattern: str) -> Callable[[Registered], str]:
    return lambda entry: pattern.format(entry.labels[0].rstrip("."))


def _choices() -> Iterator[tuple[str, str, str]]:
    """Parameter, choice and sentence."""
    for identity, sentences in CHOICES.items():
        yield from ((identity, choice, words) for choice, words in sentences.items())
    for part, data in DATA.items():
        for choice, words in RATERS.items():
            yield f"reference_method_{part}", choice, f"The reference of the {data} {words}."
        for choice, words in MERGED.items():
            yield f"annotation_aggregation_{part}", choice, f"Annotations of {data} {words}."


def _claims() -> Iterator[Claim[Registered]]:
    for identity, choice, words in _choices():
        condition = f"The design registers {choice} as {identity}."
        yield Claim(f"{identity}.{choice}", condition, _is(identity, choice), _plain(words), words)
    for identity, words in NOTHING.items():
        condition = f"The design registers none as the only value of {identity}."
        yield Claim(f"{identity}.nothing", condition, _chose_none(identity), _plain(words), words)
    for identity, pattern in LISTS.items():
        condition = f"The design registers values of {identity}."
        yield Claim(f"{identity}.listed", condition, _has(identity, several=True), _listed(pattern), pattern)
    for identity, pattern in PATTERNS.items():
        condition = f"The design registers one value of {identity}, which has no sentence of its own."
        yield Claim(f"{identity}.value", condition, _has(identity, several=False), _around(pattern), pattern)
    for identity, words in NONE.items():
        condition = f"The organizers say of {identity} that there is none."
        yield Claim(f"{identity}.none", condition, _declared(identity), _plain(words), words)


CATALOGUE: Final = Catalogue()
"""Claims about the registered values of a design.

For each parameter, the first claim that is true is used.
"""
REGISTERED: Final = CATALOGUE.group(*_claims())


def phrase(entry: Registered) -> str:
    """Return the registered value of a parameter as a sentence.

    The result is empty if the text must follow the label of the parameter.

    Examples
    --------
    >>> phrase(Registered("challenge_venue", "none", ["None (online competition)"]))
    'It was planned online, without an associated event.'
    >>> labels = ["Magnetic Resonance Imaging (MRI)", "Computed Tomography (CT)"]
    >>> phrase(Registered("imaging_modality", ["mri", "ct"], labels))
    'The images come from MRI and CT.'
    >>> phrase(Registered("annotation_aggregation_test", "consensus", ["Consensus of a group"]))
    'Annotations of test data were merged by consensus of a group.'
    >>> phrase(Registered("conflicts_of_interest", is_none=True))
    'The organizers state that there are no conflicts of interest.'
    >>> phrase(Registered("prize", "a cup", ["a cup"]))
    ''
    """
    return str(next(iter(REGISTERED.all(entry)), ""))
