"""Pattern of a claim: a sentence about results with its condition, under a name in a catalogue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Facts = TypeVar("Facts")


class Said(str):
    """A sentence that remembers which claim it is.

    Attributes
    ----------
    claim
        Identity of the claim in its catalogue.
    """

    __slots__ = ("claim",)
    claim: str

    def __new__(cls, text: str, claim: str) -> Self:
        """A sentence of a claim."""
        sentence = super().__new__(cls, text)
        sentence.claim = claim
        return sentence

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the class and the arguments from which a copy is created."""
        return Said, (str(self), self.claim)


@dataclass(frozen=True)
class Claim(Generic[Facts]):
    """Sentence and the condition under which it is true.

    Attributes
    ----------
    id
        ``group.name``, unique in its catalogue.
    condition
        The condition as text.
    true
        The condition as a predicate of the facts, or of one of the `parts`.
    words
        The sentence. Only called where the predicate is true.
    example
        Example of the sentence.
    parts
        For a sentence about one algorithm, pair or list at a time: its subjects, each judged separately.
    """

    id: str
    condition: str
    true: Callable[[Any], bool]
    words: Callable[[Any], str]
    example: str
    parts: Callable[[Facts], Iterable[Any]] | None = None

    def say(self, facts: Facts) -> Iterator[Said]:
        """The sentences of this claim that are true of some facts."""
        for part in (facts,) if self.parts is None else self.parts(facts):
            if self.true(part):
                yield Said(self.words(part), self.id)


class Catalogue:
    """Claims by their identity, in the order in which they were declared."""

    def __init__(self) -> None:
        self.claims: dict[str, Claim[Any]] = {}

    def group(self, *claims: Claim[Any]) -> Group:
        """Register claims that appear together.

        Raises
        ------
        ValueError
            If a claim of that identity exists.
        """
        for claim in claims:
            if claim.id in self.claims:
                message = f"the claim {claim.id!r} exists twice"
                raise ValueError(message)
            self.claims[claim.id] = claim
        return Group(self, tuple(claim.id for claim in claims))


@dataclass(frozen=True)
class Group:
    """Claims of a catalogue that appear together, in order."""

    catalogue: Catalogue
    ids: tuple[str, ...]

    def __iter__(self) -> Iterator[Claim[Any]]:
        return (self.catalogue.claims[identity] for identity in self.ids)

    def first(self, facts: Any) -> Said:
        """The first sentence that is true.

        Raises
        ------
        LookupError
            If none is: the last claim of such a group holds always.
        """
        for claim in self:
            for sentence in claim.say(facts):
                return sentence
        message = f"none of {', '.join(self.ids)} is true"
        raise LookupError(message)

    def all(self, facts: Any) -> list[Said]:
        """Every sentence that is true."""
        return [sentence for claim in self for sentence in claim.say(facts)]


CATALOGUE = Catalogue()
"""The claims about rankings and comparisons."""
