"""A table of values measured elsewhere, with one metric that the assessment itself describes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from evaluation.problems.base import Problem
from evaluation.problems.metric_rules import MetricRules
from evaluation.problems.region_rules import RegionRules
from evaluation.problems.samples import Samples

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evaluation.assessment.model import MetricUse

METRIC: Final = "value"


class MeasuredSamples(Samples):
    """Samples of tables of values."""

    kind: Table

    def write_challenge(
        self, folder: Path, *, cases: int = 6, seed: int = 1, algorithms: Sequence[str] = ("good", "fair", "weak")
    ) -> dict[str, Any]:
        """Write ``results.csv`` of three algorithms; there is nothing to score."""
        import numpy as np

        random = np.random.default_rng(seed)
        folder.mkdir(parents=True, exist_ok=True)
        lines = ["algorithm,case,value"]
        lines += [
            f"{name},case-{case:02d},{random.normal(mean, 1):.6f}"
            for mean, name in enumerate(reversed(algorithms))
            for case in range(cases)
        ]
        (folder / "results.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return {
            "schema": 1,
            "problem": self.kind.id,
            "metrics": [{"id": METRIC, "direction": "higher", "policy": {"missing": -10}}],
        }


class MeasuredMetrics(MetricRules):
    """Metrics of tables of values."""

    kind: Table

    is_single_metric = True
    can_be_undefined = False

    def read(self, value: object, path: str, *, rank_based: bool) -> MetricUse:
        """Check the only metric, which defines its better direction."""
        from evaluation.assessment.described import value_range
        from evaluation.assessment.errors import AssessmentError
        from evaluation.assessment.model import MetricUse
        from evaluation.assessment.policy import Bounds, read_policy
        from evaluation.assessment.reading import Place, name

        section = Place(value, path, ("id", "name", "direction", "range", "policy"))
        if section.raw("id") != METRIC:
            raise AssessmentError(section.at("id"), section.raw("id"), f'"{METRIC}", the one metric of a table')
        direction: Literal["higher", "lower"] = (
            "higher" if section.choice("direction", ("higher", "lower")) == "higher" else "lower"
        )
        low, high = value_range(section.raw("range", None), section.at("range"))
        worst, best = (low, high) if direction == "higher" else (high, low)
        bounds = Bounds(
            metric=METRIC,
            direction=direction,
            worst=worst,
            best=best,
            unit=None,
            problem=self.kind.id,
            rank_based=rank_based,
        )
        defaults: dict[str, Any] = {"missing": "worst_rank"} if rank_based else {}
        return MetricUse(
            id=METRIC,
            name=name(section.raw("name", METRIC), section.at("name")),
            options={},
            policy=read_policy(section.raw("policy", {}), section.at("policy"), defaults, bounds),
            direction=direction,
            worst=worst,
            best=best,
            level="case",
        )

    def document_of(self, metric: MetricUse) -> dict[str, Any]:
        """The entry as JSON values with every default."""
        document: dict[str, Any] = {"id": metric.id, "name": metric.name, "direction": metric.direction}
        if metric.worst is not None or metric.best is not None:
            document["range"] = [metric.worst, metric.best] if metric.higher_is_better else [metric.best, metric.worst]
        return {**document, "policy": metric.policy.document}

    def check(self, metrics: tuple[MetricUse, ...]) -> None:
        """Refuse more than the one metric."""
        from evaluation.assessment.errors import AssessmentError

        if len(metrics) != 1:
            allowed = f'exactly one entry {{"id": "{METRIC}", "direction": …}} for a table'
            raise AssessmentError("metrics", len(metrics), allowed)


class Table(Problem):
    """Values by algorithm and case; nothing is scored, only ranked."""

    id = "table"
    regions = RegionRules(are_allowed=False)
    is_measured_elsewhere = True
    samples = MeasuredSamples()
    metrics = MeasuredMetrics()


PROBLEM = Table()
