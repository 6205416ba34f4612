"""What sentences mean: patterns of words, each with a predicate that says of some facts whether it is true."""

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
        """The meaning of all sentences of a form; its groups are handed to the predicate behind the facts."""

        def add(predicate: Predicate) -> Predicate:
            self.known.append((re.compile(pattern), predicate))
            return predicate

        return add

    def false(self, sentences: Iterable[str], facts: Any) -> list[str]:
        """Sentences that are not true, and those whose meaning nobody has written down."""
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
    """Whether a sentence is true; what asks for something that is not there is not."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # medians of nothing
            return bool(predicate(facts, *match.groups()))
    except (TypeError, KeyError, IndexError, AttributeError, ValueError):
        return False
