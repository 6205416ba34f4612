"""What comes up while a design is compiled."""

from collections.abc import Callable
from dataclasses import dataclass, field

Missing = Callable[[str], None]
"""Notes that a row of the ranking table lacks something, or says what cannot be executed."""


@dataclass(frozen=True)
class Problem:
    """What keeps a design from being executed, and the parameter that it comes from.

    Attributes
    ----------
    elsewhere
        Whether the design is complete there and only the platform cannot execute it: such a design is registered here
        and evaluated elsewhere. Otherwise something is missing or contradicts itself and has to be mended.
    """

    parameter: str
    message: str
    elsewhere: bool = False

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True)
class Notes:
    """What came up while compiling: what blocks, and what was assumed in place of something unsaid."""

    problems: list[Problem] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)

    def missing(self, name: str, text: str) -> None:
        """Note that a row of the ranking table lacks something."""
        self.problems.append(Problem("ranking_method", f"{name}: {text}"))

    def not_executed(self, name: str, text: str) -> None:
        """Note that a row of the ranking table says something that the platform does not execute."""
        self.problems.append(Problem("ranking_method", f"{name}: {text}", elsewhere=True))
