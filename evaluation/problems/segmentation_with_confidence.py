"""Segmentation with confidence: label images, and how sure the algorithm is of each; both are judged together."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from evaluation.catalogue import Option
from evaluation.problems import data_sets
from evaluation.problems.answers import ANSWERED, EVERYTHING, PART, UNANSWERED, UNKNOWN, PooledEvidence
from evaluation.problems.cautions import of_joint_confidence
from evaluation.problems.confidences import (
    READING,
    READING_EACH,
    READING_PASSED,
    READING_QUALITY,
    REJECTED,
    SILENT,
    count_unanswered,
    draw_each,
    draw_passed,
    draw_quality,
    draw_risk_coverage,
    draw_trust,
    recompute,
)
from evaluation.problems.data_sets import DataSetEvidence, DataSetTexts
from evaluation.problems.evidence_figures import EvidenceFigure
from evaluation.problems.grids import GEOMETRY
from evaluation.problems.images import LabelImageMetrics, LabelImageScorerFiles
from evaluation.problems.pictures import AnswerView
from evaluation.problems.samples import ALGORITHMS
from evaluation.problems.semantic_segmentation import (
    SegmentationEvidence,
    SegmentationPlausibility,
    SegmentationSamples,
    SegmentationTexts,
    SemanticSegmentation,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluation.assessment.model import Assessment, MetricUse
    from evaluation.checking.unused import Unused
    from evaluation.metrics.values import FloatArray, Values
    from evaluation.problems.beside import TableBeside
    from evaluation.problems.case_answers import CaseAnswers
    from evaluation.problems.files import FileWords
    from evaluation.problems.images import ImagePrediction
    from evaluation.readers import LabelImage
    from evaluation.readers.confidences import ConfidenceRules, ConfidenceTable
    from evaluation.scoring.evidence_blocks import Block, CaseEvidence
    from evaluation.scoring.rows import Numbers, Pieces, Row, ScoredCase
    from evaluation.scoring.semantic import PreparedReference, RegionMasks

_WIDTH: Final = {UNKNOWN: 0, UNANSWERED: 1, REJECTED: 1, ANSWERED: 2}
"""Number of values of a case in each state: its risk, and the confidence if there is one."""


class ConfidenceAnswerView(AnswerView):
    """Answers to a case of segmentation with confidence, line by line."""

    def numbers_of(self, value: float | None, shared: Mapping[str, Any]) -> NDArray[Any]:
        """Return the confidence for the label image."""
        import numpy as np

        return np.array([np.nan if value is None else value], dtype=float)

    def lines(
        self, assessment: Assessment, shared: Mapping[str, Any], answer: NDArray[Any] | None, reference: Any
    ) -> CaseAnswers:
        """The confidence; the risk is a value of the case."""
        from evaluation.problems.case_answers import CaseAnswer, CaseAnswers, number

        confidence = None if answer is None or not answer.size else float(answer[0])
        return CaseAnswers.of("Answer", [CaseAnswer("confidence, larger for surer", number(confidence))])


class ConfidenceSamples(SegmentationSamples):
    """Samples of segmentation with confidence."""

    kind: SegmentationWithConfidence

    def perfect_prediction(
        self, reference: Mapping[str, Path], shared: Mapping[str, Any], folder: Path
    ) -> Mapping[str, Path]:
        """With the confidence 1."""
        return {**reference, **_confidence_file(1.0, folder)}

    def worse_predictions(self, perfect: Mapping[str, Path], folder: Path) -> dict[str, dict[str, Path]]:
        """Worse label images, each with another confidence."""
        predictions = super().worse_predictions(perfect, folder)
        for number, files in enumerate(predictions.values(), 1):
            subfolder = folder / f"confidence-{number}"
            subfolder.mkdir()
            files.update(_confidence_file(1 / (1 + number), subfolder))
        return predictions

    def write_challenge(
        self, folder: Path, *, cases: int = 8, seed: int = 1, algorithms: Sequence[str] = ALGORITHMS
    ) -> dict[str, Any]:
        """Write discs and confidences.

        The discs are displaced further in some cases. The confidences indicate these cases more or less well.
        """
        from evaluation.problems.examples import write_outlines_with_confidence

        write_outlines_with_confidence(folder, cases=max(cases, 8), seed=seed, algorithms=algorithms)
        return {
            "schema": 1,
            "problem": self.kind.id,
            "regions": [{"name": "core", "labels": [2]}, {"name": "whole", "labels": [1, 2]}],
            "metrics": [{"id": "dsc"}, {"id": "aurc"}, {"id": "augrc"}, {"id": "n_aurc"}],
            "settings": {"risk": {"metric": {"id": "dsc"}, "regions": ["whole"]}},
        }

    def write_registered(
        self,
        assessment: Assessment,
        folder: Path,
        *,
        cases: int = 12,
        seed: int = 1,
        algorithms: Sequence[str] = ALGORITHMS,
    ) -> None:
        """Write every registered label, and a confidence of each case."""
        from evaluation.problems.registered_examples import write_blobs, write_confidence_table

        write_blobs(assessment, folder, cases=cases, seed=seed, algorithms=algorithms)
        write_confidence_table(folder, cases=cases, seed=seed, algorithms=algorithms)


class ConfidenceScorerFiles(LabelImageScorerFiles):
    """Files of segmentation with confidence for scoring images."""

    stems_and_kinds = (("labels", "label_image"), ("confidence", "csv"))

    def write_prediction(
        self, assessment: Assessment, content: LabelImage, said: float | None, folder: Path
    ) -> dict[str, Path]:
        """The label image, and the confidence where there is one."""
        return super().write_prediction(assessment, content, said, folder) | _confidence_file(said, folder)


class ConfidenceTexts(DataSetTexts, SegmentationTexts):
    """Texts about segmentation with confidence on pages."""

    def missing_cases(self, assessment: Assessment) -> str:
        """Return how a case without a prediction counts in metrics of confidences."""
        if assessment.settings["missing"] == SILENT:
            return "has the risk 1 and counts as surer than every other: the error would have gone unnoticed"
        return "has the risk 1 and counts as rejected: less sure than every other"

    def submit_page(self, assessment: Assessment, cases: int) -> FileWords:
        """Return the description of the label images and of the table next to them for the submit page."""
        from evaluation.readers.confidences import CONFIDENCE_FILE

        words = super().submit_page(assessment, cases)
        of_table = (
            f"Beside them one table `{CONFIDENCE_FILE}` with a row `case,confidence` for each case: any number, larger for a "
            "label image that is less likely to be bad; only the order counts, unless the task says otherwise. A case without a "
            "number counts as less sure than every other."
        )
        return replace(words, after=(of_table, *words.after))


class ConfidencePlausibility(SegmentationPlausibility):
    """Plausibility of results of segmentation with confidence."""

    metric_rules = (of_joint_confidence,)

    def is_possible(
        self,
        assessment: Assessment,
        case: str,
        reference: PreparedReference,
        pieces: Mapping[tuple[str, str], Numbers],
    ) -> bool:
        """Return whether there is one risk in [0, 1], with a finite confidence where the state includes one."""
        if set(pieces) != {(PART, EVERYTHING)}:
            return False
        counts, values = pieces[PART, EVERYTHING]
        if counts == [UNKNOWN] and not self._may_leave_out(assessment, reference):
            return False
        if len(counts) != 1 or type(counts[0]) is not int or len(values) != _WIDTH.get(counts[0], -1):
            return False
        if any(type(value) not in (int, float) or not math.isfinite(value) for value in values):
            return False
        return not values or 0 <= values[0] <= 1

    def _may_leave_out(self, assessment: Assessment, reference: PreparedReference) -> bool:
        """Return whether a case can have no risk.

        This depends on its reference alone, never on the prediction.
        """
        from evaluation.problems.computed_risk import risk_of

        names = risk_of(assessment.settings).regions or tuple(region.name for region in assessment.regions)
        return all(reference.regions.mask(name).empty for name in names)

    def refusal(self, assessment: Assessment) -> str:
        """Values of segmentation are those of cases."""
        pooled = [use.name for use in assessment.computed if use.level == "dataset" and not _judges_confidence(use)]
        return f"Segmentations are scored case by case; leave out {', '.join(pooled)}." if pooled else ""


class ConfidenceEvidence(DataSetEvidence, PooledEvidence, SegmentationEvidence):
    """Evidence of values of the whole data set for segmentation with confidence."""

    is_pooled = True
    figures = (
        EvidenceFigure(
            name="quality-and-trust",
            title="Who segments well and knows when it fails?",
            reading="To the right are teams whose predictions are good, on top those whose confidences put the bad cases behind "
            "the good ones: 0 is the best order there is for a team's own predictions, 1 one that tells nothing. Lines are ranges "
            "under resampling of cases, each of one team taken alone. A filled point is beaten by no other in both. Numbers beside points are "
            "those of the list below.",
            draw=draw_trust,
            shows="values",
        ),
        EvidenceFigure(
            name="risk-coverage-own",
            title="Does each team know when its own predictions fail?",
            reading=READING,
            draw=draw_risk_coverage,
            shows="results by case",
        ),
        EvidenceFigure(
            name="risk-coverage-own-of-each",
            title="How sure is the curve of each team, on its own predictions?",
            reading=READING_EACH,
            draw=draw_each,
            shows="results by case",
        ),
        EvidenceFigure(
            name="passed-risk-own",
            title="How much risk slips through, on its own predictions?",
            reading=READING_PASSED,
            draw=draw_passed,
            shows="results by case",
        ),
        EvidenceFigure(
            name="confidence-and-quality-own",
            title="Do confidences follow the quality, on its own predictions?",
            reading=READING_QUALITY,
            draw=draw_quality,
            shows="results by case",
        ),
    )

    def assemble(
        self, assessment: Assessment, algorithm: str, pieces: Mapping[str, Pieces | None], shared: Mapping[str, Any]
    ) -> tuple[list[Row], list[Block]]:
        """Values of the whole data set from the risks and confidences of all cases."""
        return PooledEvidence.assemble(self, assessment, algorithm, pieces, shared)

    def regions_of(self, assessment: Assessment, use: MetricUse, shared: Mapping[str, Any]) -> list[str]:
        """Return the regions of the assessment for label images; for risks and confidences every data set, or one value over everything."""
        if _judges_confidence(use):
            return data_sets.regions_of(assessment.settings, shared)
        return SegmentationEvidence.regions_of(self, assessment, use, shared)

    def unanswered_cases(self, evidence: CaseEvidence) -> int:
        """Cases of the data set without a label image that could be read."""
        return count_unanswered(evidence, (UNANSWERED,))


class ConfidenceMetrics(LabelImageMetrics):
    """Metrics of segmentation with confidence."""

    accepted_kinds = ("semantic_segmentation", "failure_detection")

    def needs_scores(self, use: MetricUse) -> bool:
        """None: a confidence belongs to every case."""
        return False


class SegmentationWithConfidence(SemanticSegmentation):
    """Segmentation whose methods must also detect their failures.

    The risk of a case is computed from its label image.
    """

    id = "segmentation_with_confidence"
    category = "SegC"
    settings = (
        Option(
            "risk",
            "object",
            {"metric": {"id": "dsc"}},
            "How the risk of a case is computed: 1 minus a metric of segmentation, or the metric over a scale where lower is "
            "better, as the mean of regions or of the worst of them",
        ),
        *data_sets.SETTINGS,
        Option(
            "missing",
            "enum",
            "reject",
            "What a case without a prediction counts as, its risk being 1: rejected, or as surer than every other (silent)",
            choices=("reject", SILENT),
        ),
        Option(
            "confidence_is_quality",
            "boolean",
            False,
            "Teams were told that the confidence is their estimate of the quality, 1 - risk",
        ),
        GEOMETRY,
    )
    answer_view = ConfidenceAnswerView()
    samples = ConfidenceSamples()
    scorer_files = ConfidenceScorerFiles()
    texts = ConfidenceTexts()
    plausibility = ConfidencePlausibility()
    evidence = ConfidenceEvidence()
    metrics = ConfidenceMetrics()

    # The assessment document ------------------------------------------------------------------------------------------

    def complete_settings(self, settings: dict[str, Any]) -> dict[str, Any]:
        """The risk with every default."""
        from evaluation.problems.computed_risk import read_risk

        settings["risk"] = read_risk(settings["risk"], "settings.risk").document
        data_sets.check(settings)
        return settings

    def check(self, assessment: Assessment) -> None:
        """Regions of the risk are those of the assessment."""
        from evaluation.assessment.checks import check_tolerances
        from evaluation.problems.computed_risk import check_regions, risk_of

        check_regions(risk_of(assessment.settings), [region.name for region in assessment.regions])
        check_tolerances(assessment)

    # The table beside the images --------------------------------------------------------------------------------------

    def table_of_predictions(self, assessment: Assessment) -> ConfidenceRules:
        """One confidence a case."""
        from evaluation.readers.confidences import ConfidenceRules

        return ConfidenceRules()

    def unused(self, content: Any, table: TableBeside | None, *, case: str, file: str) -> Unused:
        """Return the row of a confidence that cannot be read."""
        from evaluation.checking.unused import Unused

        dropped = [] if table is None else table.dropped.get(case, [])
        return Unused(1, 1, dropped[0].message) if dropped else Unused()

    def remark_beside(self, content: Any) -> str:
        """Return the remark that a case without a confidence counts as rejected."""
        return (
            ""
            if content is not None
            else "no confidence: counts as less sure than every other case, with the risk that it has"
        )

    def check_objects(self, content: Any, instances: Any, *, case: str, file: str) -> None:
        """Accept any confidence; there is nothing to compare."""

    # Scoring ----------------------------------------------------------------------------------------------------------

    def score(
        self,
        assessment: Assessment,
        case: str,
        reference: PreparedReference,
        prediction: ImagePrediction | None,
        *,
        algorithm: str = "",
        parts: bool = False,
    ) -> ScoredCase:
        """Measure the regions of one label image, and combine its risk with the confidence."""
        from evaluation.checking.label_images import features_of
        from evaluation.checking.unused import Unused
        from evaluation.readers import ReadError
        from evaluation.scoring.rows import Numbers, ScoredCase
        from evaluation.scoring.semantic import on_grid, read_regions, rows_of_case

        regions, reason, confidence = None, None, None
        features: dict[str, Any] = {}
        if prediction is not None:
            table = _table_of(prediction)
            confidence = None if table is None else table.of(case)
            try:
                image = on_grid(prediction.image, reference)
                regions = read_regions(assessment, reference, image)
                features = features_of(image)
            except ReadError as error:
                reason = error.issue
        risk = self._risk(assessment, reference, regions)
        if risk is None:
            pieces = Numbers([UNKNOWN], [])
        elif regions is None:
            pieces = Numbers([UNANSWERED], [risk])
        else:
            pieces = Numbers([REJECTED], [risk]) if confidence is None else Numbers([ANSWERED], [risk, confidence])
        masks = replace(assessment, metrics=tuple(use for use in assessment.computed if not _judges_confidence(use)))
        rows = rows_of_case(masks, case, reference, regions, algorithm=algorithm)
        rows += _risk_rows(assessment, case, risk, algorithm)
        unused = Unused() if prediction is None else self.unused(None, _table_of(prediction), case=case, file="")
        scored = ScoredCase(rows, reason, {(PART, EVERYTHING): pieces})
        scored.features = features | unused.features
        return scored

    def _risk(self, assessment: Assessment, reference: PreparedReference, regions: RegionMasks | None) -> float | None:
        """The risk of a case; `None` where the policy of the metric leaves out all of it."""
        from evaluation.problems.computed_risk import MEASURED_AS, WORST, risk_of
        from evaluation.scoring.semantic import measure_masks

        if regions is None:
            return WORST
        rule = risk_of(assessment.settings)
        names = rule.regions or tuple(region.name for region in assessment.regions)
        results = [measure_masks(MEASURED_AS, rule.use, name, reference.regions, regions) for name in names]
        return rule.of_regions(results, reference.geometry.diagonal)

    def shared_facts(self, assessment: Assessment, facts: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """Return the data set of each case."""
        return data_sets.shared_of(assessment.settings, facts)

    def recompute(self, metric: MetricUse, evidence: CaseEvidence, multiplicities: FloatArray) -> Values:
        """From risks and confidences."""
        return recompute(metric, evidence, multiplicities)

    def shared_of_folder(self, assessment: Assessment, patients: Mapping[str, str] | None) -> dict[str, Any]:
        """Patients, and what a case without a prediction counts as."""
        return {"classes": [], "patients": dict(patients or {}), "missing": assessment.settings["missing"]}


def _confidence_file(confidence: float | None, folder: Path) -> dict[str, Path]:
    """Write the confidence of a case to a separate file; write no file if there is none."""
    from evaluation.problems.shown import CONFIDENCE, Rows

    if confidence is None:
        return {}
    folder.mkdir(parents=True, exist_ok=True)
    path = Rows.of((CONFIDENCE,), [(confidence,)]).written(folder / f"{CONFIDENCE}.csv")
    return {path.name: path}


def _judges_confidence(use: MetricUse) -> bool:
    """Return whether a metric rates risks and confidences rather than masks."""
    from evaluation import catalogue
    from evaluation.problems.registry import categories

    return categories()[ConfidenceMetrics.accepted_kinds[1]] in catalogue.get(use.id).categories


def _risk_rows(assessment: Assessment, case: str, risk: float | None, algorithm: str) -> list[Row]:
    from evaluation.outcomes import Flag, Outcome, ok, undefined
    from evaluation.scoring.rows import Row

    result = undefined(Outcome.DEGENERATE, Flag.REFERENCE) if risk is None else ok(risk)
    uses = [use for use in assessment.computed if use.level == "case" and _judges_confidence(use)]
    return [Row(algorithm, case, EVERYTHING, use.name, *result, None, result.flag) for use in uses]


def _table_of(prediction: ImagePrediction) -> ConfidenceTable | None:
    """The table of confidences; none if it cannot be read."""
    from evaluation.readers.confidences import ConfidenceTable

    return prediction.table if isinstance(prediction.table, ConfidenceTable) else None


PROBLEM = SegmentationWithConfidence()
