"""Values measured outside: any number of metrics that the assessment itself describes, ranked and never scored here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from evaluation.metrics.options import Option
from evaluation.problems.base import Problem
from evaluation.problems.metric_rules import MetricRules
from evaluation.problems.performance import Performance
from evaluation.problems.samples import Samples
from evaluation.problems.table import METRIC

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from evaluation.assessment.model import Assessment, MetricUse
    from evaluation.problems.opened import Opened, References
    from evaluation.scoring.evidence_blocks import Block
    from evaluation.scoring.rows import Row

_KEYS: Final = ("id", "as", "label", "direction", "range", "unit", "level", "without_uncertainty", "policy")


class ExternalSamples(Samples):
    """Samples of values that were measured elsewhere."""

    kind: External

    def write_challenge(
        self, folder: Path, *, cases: int = 6, seed: int = 1, algorithms: Sequence[str] = ("weak", "fair", "good")
    ) -> dict[str, Any]:
        """Write ``results.csv`` of some algorithms and two metrics; there is nothing to score."""
        import numpy as np

        random = np.random.default_rng(seed)
        folder.mkdir(parents=True, exist_ok=True)
        lines = ["algorithm,case,metric,value"]
        for index, algorithm in enumerate(algorithms):
            for case in range(cases):
                lines.append(f"{algorithm},case-{case:02d},tra,{random.beta(6 + 2 * index, 4):.6f}")
                lines.append(f"{algorithm},case-{case:02d},runtime,{random.gamma(4, 10 - 2 * index):.6f}")
        (folder / "results.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return {
            "schema": 1,
            "problem": self.kind.id,
            "metrics": [
                {"id": "tra", "direction": "higher", "range": [0, 1]},
                {"id": "runtime", "direction": "lower", "range": [0, None], "unit": "s", "policy": {"missing": 600}},
            ],
        }


class ExternalMetrics(MetricRules):
    """Metrics of values that were measured elsewhere."""

    kind: External

    can_be_undefined = False

    def read(self, value: object, path: str, *, rank_based: bool) -> MetricUse:
        """Check a metric entry that defines its name, its better direction and its bounds.

        Metrics from elsewhere have the common id ``value``. It signals to the code that explains metrics of the
        catalogue that only their name is known. The id of the document is kept as well.
        """
        from evaluation.assessment.described import WITHOUT, own_id, same_metric, value_range
        from evaluation.assessment.errors import AssessmentError
        from evaluation.assessment.model import MetricUse
        from evaluation.assessment.policy import Bounds, read_policy
        from evaluation.assessment.reading import Place, name

        fields = Place(value, path, _KEYS)
        catalogue_metric = same_metric(fields)
        identity = own_id(
            fields.raw("id"), fields.at("id"), same_as="" if catalogue_metric is None else catalogue_metric.id
        )
        given = fields.raw("direction", None if catalogue_metric is None else catalogue_metric.direction)
        if given not in ("higher", "lower"):
            raise AssessmentError(fields.at("direction"), given, "one of higher, lower")
        direction: Literal["higher", "lower"] = "higher" if given == "higher" else "lower"
        level = fields.choice("level", ("case", "dataset"), "case")
        low, high = value_range(
            fields.raw("range", None if catalogue_metric is None else catalogue_metric.range), fields.at("range")
        )
        worst, best = (low, high) if direction == "higher" else (high, low)
        unit = fields.raw("unit", None if catalogue_metric is None else catalogue_metric.unit)
        by_ranks = rank_based and level == "case"
        bounds = Bounds(
            metric=identity,
            direction=direction,
            worst=worst,
            best=best,
            unit=None,
            problem=self.kind.id,
            rank_based=by_ranks,
            worst_by_case=level == "case",
        )
        missing = "worst_rank" if by_ranks else "worst" if worst is not None else None
        usual = identity if catalogue_metric is None else catalogue_metric.abbreviation
        label = name(fields.raw("label", usual), fields.at("label"))
        options: dict[str, Any] = {} if label == identity else {"id": identity}
        if catalogue_metric is not None:
            options |= {"id": identity, "as": catalogue_metric.id}
        if fields.flag(WITHOUT, default=False):
            if level == "case":
                raise AssessmentError(fields.at(WITHOUT), True, "false: values of single cases are resampled")
            options[WITHOUT] = True
        return MetricUse(
            id=METRIC,
            name=label,
            options=options,
            policy=read_policy(fields.raw("policy", {}), fields.at("policy"), {"missing": missing}, bounds),
            direction=direction,
            worst=worst,
            best=best,
            level=level,
            unit=None if unit is None else name(unit, fields.at("unit")),
        )

    def document_of(self, metric: MetricUse) -> dict[str, Any]:
        """The entry as JSON values with every default."""
        from evaluation.assessment.described import WITHOUT

        bounds = (metric.worst, metric.best) if metric.higher_is_better else (metric.best, metric.worst)
        document: dict[str, Any] = {"id": metric.options.get("id", metric.name)}
        if "as" in metric.options:
            document["as"] = metric.options["as"]
        document |= {"label": metric.name, "direction": metric.direction, "range": list(bounds)}
        if metric.unit is not None:
            document["unit"] = metric.unit
        document["level"] = metric.level
        if WITHOUT in metric.options:
            document[WITHOUT] = True
        return document | {"policy": metric.policy.document}

    def check(self, metrics: tuple[MetricUse, ...]) -> None:
        """Reject duplicate ids."""
        from evaluation.assessment.reading import distinct

        distinct([str(metric.options.get("id", metric.name)) for metric in metrics], "metrics", "id")


class ExternalPerformance(Performance):
    """Preparation and shortcuts of scoring for values that were measured elsewhere."""

    def score_at_once(
        self, assessment: Assessment, algorithm: str, references: References, opened: Opened
    ) -> tuple[list[Row], list[Block]]:
        """The values as rows of a results table, and what is known of those of the whole data set."""
        from evaluation.importing.folders import OpenedValues

        assert isinstance(opened, OpenedValues)
        return opened.rows(algorithm), opened.blocks(algorithm)


class External(Problem):
    """Values by algorithm, case, metric and region that were measured elsewhere.

    All further processing is the usual one.
    """

    id = "external"
    is_measured_elsewhere = True
    settings = (
        Option(
            "source",
            "string",
            "organizer",
            "Who measured; import: a table that somebody brought",
            choices=("organizer", "site", "scorer", "import"),
        ),
        Option("software", "string", "", "What measured, with its version"),
        Option("digest", "string", "", "Digest of what measured"),
    )
    samples = ExternalSamples()
    metrics = ExternalMetrics()
    performance = ExternalPerformance()

    def check(self, assessment: Assessment) -> None:
        """Refuse to leave cases out of values that cannot be computed without them."""
        from evaluation.assessment.errors import AssessmentError

        whole = [metric.name for metric in assessment.metrics if metric.level == "dataset"]
        if whole and assessment.exclusions:
            allowed = f"no exclusions: {whole[0]} is one value of all cases, which cannot be computed here without some of them"
            raise AssessmentError("exclusions", assessment.exclusions.document, allowed)

    # Folders of the command line --------------------------------------------------------------------------------------

    def open_references(self, assessment: Assessment, folder: Path) -> References:
        """Read the complete list of cases, ``cases.csv``."""
        from evaluation.importing.folders import open_case_list

        return open_case_list(folder)

    def open_all(
        self, assessment: Assessment, predictions: Mapping[str, Path], references: References
    ) -> dict[str, Opened]:
        """Read ``values.csv`` of each folder, and ``replicates.csv`` next to it.

        The values are of one algorithm or of those that the file names.
        """
        from evaluation.importing.folders import CaseList, open_values

        assert isinstance(references, CaseList)
        return open_values(assessment, predictions, references)


PROBLEM = External()
