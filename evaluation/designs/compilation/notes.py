"""Result of a step of the compilation: a value with the problems and assumptions that led to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Problem:
    """Reason that prevents the execution of a design, and the parameter that it comes from.

    Attributes
    ----------
    elsewhere
        Whether the parameter is complete and only the platform cannot execute it. Such a design is registered here and
        evaluated elsewhere. Otherwise information is missing or contradictory and must be fixed.
    """

    parameter: str
    message: str
    elsewhere: bool = False

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True)
class Compiled(Generic[T_co]):
    """Result of a step of the compilation.

    Attributes
    ----------
    value
        The compiled value, as far as it can be compiled.
    problems
        Reasons that prevent the execution of the value, in the order of the parameters.
    assumptions
        Defaults of the toolkit that replace missing information.
    """

    value: T_co
    problems: tuple[Problem, ...] = ()
    assumptions: tuple[str, ...] = ()


def joined(results: Iterable[Compiled[T]]) -> Compiled[list[T]]:
    """Return the values of several results as a list, with all their problems and assumptions.

    Examples
    --------
    >>> joined([Compiled(1), Compiled(2, (Problem("metrics", "No weight."),))]).value
    [1, 2]
    """
    listed = list(results)
    return Compiled(
        [result.value for result in listed],
        tuple(problem for result in listed for problem in result.problems),
        tuple(assumption for result in listed for assumption in result.assumptions),
    )
