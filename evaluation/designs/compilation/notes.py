"""Problems and assumptions recorded while a design is compiled."""

from collections.abc import Callable
from dataclasses import dataclass, field

Missing = Callable[[str], None]
"""Function that records missing or non-executable information in a row of the ranking table."""


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
class Notes:
    """Notes of the compilation: blocking problems, and assumptions made for missing information."""

    problems: list[Problem] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)

    def missing(self, name: str, text: str) -> None:
        """Note that a row of the ranking table lacks something."""
        self.problems.append(Problem("ranking_method", f"{name}: {text}"))

    def not_executed(self, name: str, text: str) -> None:
        """Record that a row of the ranking table requires something that the platform does not execute."""
        self.problems.append(Problem("ranking_method", f"{name}: {text}", elsewhere=True))
