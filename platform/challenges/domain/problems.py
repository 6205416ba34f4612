"""Reasons why a design cannot be run."""

from dataclasses import dataclass

from evaluation.designs.catalogue import shipped


@dataclass(frozen=True)
class Problem:
    """Reason why a design cannot be run, with its parameter and its task."""

    parameter: str
    text: str
    task: str = ""

    @property
    def label(self) -> str:
        """Label of the parameter."""
        return shipped()[self.parameter].label

    def __str__(self) -> str:
        where = f" ({self.task})" if self.task else ""
        return f"{self.label}{where}: {self.text}"


class NotLaunchableError(ValueError):
    """A design that cannot be run; `problems` name the parameters."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        super().__init__(" ".join(str(problem) for problem in problems))
