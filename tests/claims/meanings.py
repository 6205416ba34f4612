"""Meanings of sentences: text patterns, each with a predicate that checks the sentence against facts."""

import re
import warnings
from collections.abc import Callable, Iterable
from typing import Any

Predicate = Callable[..., bool]


class Meanings:
    """The meanings of the sentences of one subject."""

    def __init__(self) -> None:
        self.known: list[tuple[re.Pattern, Predicate]] = []

    def means(self, pattern: str) -> Callable[[Predicate], Predicate]:
        """Register the meaning of all sentences of a form.

        The groups of the pattern are passed to the predicate after the facts.
        """

        def add(predicate: Predicate) -> Predicate:
            self.known.append((re.compile(pattern), predicate))
            return predicate

        return add

    def false(self, sentences: Iterable[str], facts: Any) -> list[str]:
        """Return the sentences that are false, and those without a registered meaning."""
        wrong = []
        for sentence in sentences:
            found = next(
                ((match, predicate) for pattern, predicate in self.known if (match := pattern.fullmatch(sentence))),
                None,
            )
            if found is None:
                wrong.append(f"of unknown meaning: {sentence}")
            elif not holds(found[1], facts, found[0]):
                wrong.append(sentence)
        return wrong


def holds(predicate: Predicate, facts: Any, match: re.Match) -> bool:
    """Return whether a sentence is true; a sentence that refers to missing data is false."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # medians of nothing
            return bool(predicate(facts, *match.groups()))
    except (TypeError, KeyError, IndexError, AttributeError, ValueError):
        return False
