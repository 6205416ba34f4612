"""Pattern of messages about an action: a subject and paragraphs, each a claim with its condition."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Generic, NamedTuple, TypeVar

from evaluation.claims.catalogue import Catalogue, Claim, Group

CATALOGUE: Final = Catalogue()
"""Claims about actions: all texts that the platform itself writes in messages."""
MESSAGE: Final = "notifications/mail/message"
"""The template that writes a letter: its `text`, and an `address`."""
Facts = TypeVar("Facts")


@dataclass(frozen=True)
class Letter:
    """A message: one line, and a text of paragraphs."""

    subject: str
    text: str

    @property
    def paragraphs(self) -> list[str]:
        """The text as pages show it."""
        return self.text.split("\n\n") if self.text else []


class Paragraph(NamedTuple):
    """One paragraph, or one subject, with its condition; see `evaluation.claims.catalogue.Claim`."""

    name: str
    condition: str
    true: Callable[[Any], bool]
    words: Callable[[Any], str]
    example: str


@dataclass(frozen=True)
class Act(Generic[Facts]):
    """Texts about an action: the first subject whose condition is true, and every such paragraph."""

    subject: Group
    text: Group

    def letter(self, facts: Facts) -> Letter:
        """The message about some facts."""
        return Letter(self.subject.first(facts), "\n\n".join(self.text.all(facts)))


def always(name: str, words: Callable[[Any], str], example: str) -> Paragraph:
    """A paragraph of every message about an act."""
    return Paragraph(name, "Always.", lambda _: True, words, example)


def act(
    name: str, subjects: list[Paragraph], paragraphs: list[Paragraph], catalogue: Catalogue = CATALOGUE
) -> Act[Any]:
    """Register the texts about an action, or in a separate catalogue the texts about a state on a page."""
    groups = [
        catalogue.group(*[Claim(f"{name}.{one.name}", one.condition, one.true, one.words, one.example) for one in part])
        for part in (subjects, paragraphs)
    ]
    return Act(*groups)


def ended(text: str) -> str:
    """A text with its full stop.

    Examples
    --------
    >>> ended("too late "), ended("Why?"), ended("")
    ('too late.', 'Why?', '')
    """
    text = text.strip()
    return text if not text or text[-1] in ".!?…" else f"{text}."
