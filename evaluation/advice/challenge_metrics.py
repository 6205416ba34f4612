"""Metrics that challenges rank by and the framework does not list: their use, their weakness and the source."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

from evaluation.advice.expressions import holds

if TYPE_CHECKING:
    from collections.abc import Callable

    from evaluation.advice.expressions import Expression

DATA_FILE: Final = "challenge_metrics.v1.json"


@dataclass(frozen=True, slots=True)
class ChallengeMetric:
    """Metrics of one sort.

    Attributes
    ----------
    ids
        Their ids in the catalogue.
    problems
        Kinds of problem in which they are used.
    when
        Condition on the fingerprint under which they are listed.
    use, caution
        Reason to use them, and what a ranking by them alone would miss.
    source
        Publication, or evaluation program with its version.
    """

    ids: tuple[str, ...]
    problems: tuple[str, ...]
    when: Expression
    use: str
    caution: str
    source: str

    @property
    def document(self) -> dict[str, Any]:
        """The entry as JSON values."""
        return {"ids": list(self.ids), "use": self.use, "caution": self.caution, "source": self.source}


@cache
def challenge_metrics() -> tuple[ChallengeMetric, ...]:
    """Read all entries, once."""
    text = resources.files("evaluation.advice").joinpath("data", DATA_FILE).read_text("utf-8")
    return tuple(
        ChallengeMetric(
            tuple(entry["ids"]),
            tuple(entry["problems"]),
            entry["when"],
            entry["use"],
            entry["caution"],
            entry["source"],
        )
        for entry in json.loads(text)["entries"]
    )


def listed(problem: str, value_of: Callable[[str], Any]) -> list[dict[str, Any]]:
    """Return the entries for a kind of problem whose condition is met.

    Parameters
    ----------
    value_of
        Returns the answer to a question of the fingerprint, by its id.

    Examples
    --------
    >>> [entry["ids"] for entry in listed("image_to_image", lambda item: None)]
    [['gamma_pass_rate'], ['dvh_dose_error', 'dvh_volume_error', 'mean_dose_error']]
    """
    return [
        entry.document for entry in challenge_metrics() if problem in entry.problems and holds(entry.when, value_of)
    ]


def about(metric_id: str, problem: str) -> ChallengeMetric | None:
    """Return the entry of a metric for a kind of problem; ``None`` if there is none."""
    return next((entry for entry in challenge_metrics() if metric_id in entry.ids and problem in entry.problems), None)
