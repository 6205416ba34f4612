"""Small examples of pitfalls, with numbers computed on demand by the metrics of this package."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from evaluation.catalogue import get
from evaluation.problems.offered_metrics import function_for

if TYPE_CHECKING:
    from collections.abc import Mapping

DATA_FILE: Final = "demonstrations.v1.json"
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Use:
    """A metric with options, as one row of a demonstration."""

    id: str
    label: str
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Scene:
    """One column of a demonstration; `data` is what its kind needs."""

    name: str
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Value:
    """Result of a metric on a scene: a value, or the outcome that prevents one."""

    metric: str
    scene: str
    value: float | None
    outcome: str


@dataclass(frozen=True, slots=True)
class Demonstration:
    """A small example.

    Attributes
    ----------
    kind
        ``masks``, ``counts`` (of decisions), ``scores`` (of cases), or ``cases`` (values to be averaged, in
        groups).
    words
        Description of the effect.
    pitfalls
        Ids of the pitfalls that it shows.
    """

    id: str
    kind: str
    problem: str
    words: str
    pitfalls: tuple[str, ...]
    metrics: tuple[Use, ...]
    scenes: tuple[Scene, ...]

    def values(self) -> list[Value]:
        """Compute every metric on every scene.

        Examples
        --------
        >>> [round(value.value, 3) for value in demonstrations()["tiny-prediction"].values()]
        [2.082, 3.997, 0.04]
        """
        if self.kind == "cases":
            return [Value("mean", scene.name, _mean_of_groups(scene.data["groups"]), "ok") for scene in self.scenes]
        return [self._value(use, scene) for use in self.metrics for scene in self.scenes]

    def _value(self, use: Use, scene: Scene) -> Value:
        function = function_for(get(use.id), self.problem)
        result = function(*_arguments(self.kind, scene, get(use.id).needs), **use.options)
        value = None if result.value is None else float(result.value)
        return Value(use.label, scene.name, value, str(result.outcome))


@cache
def demonstrations() -> dict[str, Demonstration]:
    """All demonstrations by id."""
    text = resources.files("evaluation.advice").joinpath("data", DATA_FILE).read_text("utf-8")
    by_id = {}
    for entry in json.loads(text)["demonstrations"]:
        uses = [Use(use["id"], use.get("label", use["id"]), use.get("options", {})) for use in entry["metrics"]]
        scenes = [
            Scene(scene["name"], {key: value for key, value in scene.items() if key != "name"})
            for scene in entry["scenes"]
        ]
        by_id[entry["id"]] = Demonstration(
            id=entry["id"],
            kind=entry["kind"],
            problem=entry["problem"],
            words=entry["words"],
            pitfalls=tuple(entry["pitfalls"]),
            metrics=tuple(uses),
            scenes=tuple(scenes),
        )
    return by_id


def demonstrations_of(pitfall: str) -> list[Demonstration]:
    """The demonstrations that show a pitfall.

    Examples
    --------
    >>> [found.id for found in demonstrations_of("P-STR-SHAPE-UNAWARE")]
    ['shapes']
    """
    return [candidate for candidate in demonstrations().values() if pitfall in candidate.pitfalls]


def mask(rows: list[str]) -> npt.NDArray[np.bool_]:
    """A mask from rows of 0 and 1.

    Examples
    --------
    >>> mask(["01", "11"]).sum()
    np.int64(3)
    """
    return np.array([[cell == "1" for cell in row] for row in rows])


def _arguments(kind: str, scene: Scene, needs: frozenset[str]) -> tuple[Any, Any]:
    data = scene.data
    if kind == "masks":
        return mask(data["reference"]), mask(data["prediction"])
    if kind == "scores":
        return np.array(data["reference"]), np.array(data["scores"], dtype=float)
    parts = ((1, 1, data["tp"]), (0, 1, data["fp"]), (1, 0, data["fn"]), (0, 0, data["tn"]))
    reference = np.concatenate([np.full(count, truth) for truth, _, count in parts])
    decision = np.concatenate([np.full(count, predicted) for _, predicted, count in parts])
    return reference, decision.astype(float) if "scores" in needs else decision


def _mean_of_groups(groups: list[list[float]]) -> float:
    return float(np.mean([np.mean(group) for group in groups]))
