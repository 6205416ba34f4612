"""What organizers answered when they were asked what their problem is like."""

from collections.abc import Mapping
from typing import Any, Protocol


class Answers(Protocol):
    """The fingerprint of a task: answers and choices by the ids of the recommender; ``None`` is "I do not know".

    `classes` holds answers that differ for a region or class, by its name; `reasons` why the design departs from what
    is recommended, by the words of the departure.
    """

    @property
    def answers(self) -> Mapping[str, Any]: ...
    @property
    def choices(self) -> Mapping[str, Any]: ...
    @property
    def classes(self) -> Mapping[str, Any]: ...
    @property
    def reasons(self) -> Mapping[str, Any]: ...
