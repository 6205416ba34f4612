"""Values measured outside: any number of metrics that the assessment itself describes, ranked and never scored here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from evaluation.metrics.options import Option
from evaluation.problems.base import Problem
from evaluation.problems.table import METRIC

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evaluation.assessment.model import MetricUse

_KEYS: Final = ("id", "label", "direction", "range", "unit", "level", "policy")


class External(Problem):
    """Values by algorithm, case, metric and region that somebody measured elsewhere; from there everything is the same."""

    id = "external"
    is_measured_elsewhere = True
    tells_outcomes = False
    settings = (
        Option(
            "source",
            "string",
            "organizer",
            "Who measured; import: a table that somebody brought",
            choices=("organizer", "site", "scorer", "participant", "import"),
        ),
        Option("software", "string", "", "What measured, with its version"),
        Option("digest", "string", "", "Digest of what measured"),
    )

    def read_metric(self, value: object, path: str, *, rank_based: bool) -> MetricUse:
        """Check an entry, which says itself what the metric is called, which direction is better and what bounds it.

        Metrics from elsewhere have the common id ``value``, by which everything that explains a metric of the catalogue
        knows that it can say no more of them than their name; the document's own id is kept beside it.
        """
        from evaluation.assessment.described import own_id, value_range
        from evaluation.assessment.errors import AssessmentError
        from evaluation.assessment.model import MetricUse
        from evaluation.assessment.policy import Bounds, read_policy
        from evaluation.assessment.reading import Place, name

        place = Place(value, path, _KEYS)
        identity = own_id(place.raw("id"), place.at("id"))
        direction: Literal["higher", "lower"] = (
            "higher" if place.choice("direction", ("higher", "lower")) == "higher" else "lower"
        )
        if place.raw("level", "case") != "case":
            allowed = "case: a value of all cases together cannot be resampled, and none is taken from elsewhere yet"
            raise AssessmentError(place.at("level"), place.raw("level"), allowed)
        low, high = value_range(place.raw("range"), place.at("range"))
        worst, best = (low, high) if direction == "higher" else (high, low)
        unit = place.raw("unit")
        bounds = Bounds(
            metric=identity,
            direction=direction,
            worst=worst,
            best=best,
            unit=None,
            problem=self.id,
            rank_based=rank_based,
        )
        missing = "worst_rank" if rank_based else "worst" if worst is not None else None
        label = name(place.raw("label", identity), place.at("label"))
        return MetricUse(
            id=METRIC,
            name=label,
            options={} if label == identity else {"id": identity},
            policy=read_policy(place.raw("policy", {}), place.at("policy"), {"missing": missing}, bounds),
            direction=direction,
            worst=worst,
            best=best,
            level="case",
            unit=None if unit is None else name(unit, place.at("unit")),
        )

    def metric_document(self, metric: MetricUse) -> dict[str, Any]:
        """The entry as JSON values with every default."""
        bounds = (metric.worst, metric.best) if metric.higher_is_better else (metric.best, metric.worst)
        document: dict[str, Any] = {"id": metric.options.get("id", metric.name), "label": metric.name}
        document |= {"direction": metric.direction, "range": list(bounds)}
        if metric.unit is not None:
            document["unit"] = metric.unit
        return document | {"level": metric.level, "policy": metric.policy.document}

    def check_metrics(self, metrics: tuple[MetricUse, ...]) -> None:
        """Refuse an id that stands there twice."""
        from evaluation.assessment.reading import distinct

        distinct([str(metric.options.get("id", metric.name)) for metric in metrics], "metrics", "id")

    def write_example(
        self, folder: Path, *, cases: int = 6, seed: int = 1, algorithms: Sequence[str] = ("weak", "fair", "good")
    ) -> dict[str, Any]:
        """Write ``results.csv`` of some algorithms and two metrics; there is nothing to score."""
        import numpy as np

        random = np.random.default_rng(seed)
        folder.mkdir(parents=True, exist_ok=True)
        lines = ["algorithm,case,metric,value"]
        for place, algorithm in enumerate(algorithms):
            for case in range(cases):
                lines.append(f"{algorithm},case-{case:02d},tra,{random.beta(6 + 2 * place, 4):.6f}")
                lines.append(f"{algorithm},case-{case:02d},runtime,{random.gamma(4, 10 - 2 * place):.6f}")
        (folder / "results.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return {
            "schema": 1,
            "problem": self.id,
            "metrics": [
                {"id": "tra", "direction": "higher", "range": [0, 1]},
                {"id": "runtime", "direction": "lower", "range": [0, None], "unit": "s", "policy": {"missing": 600}},
            ],
        }


PROBLEM = External()
