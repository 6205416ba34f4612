"""Instance segmentation whose objects may overlap: one file of masks per case, in run-length encoding."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from evaluation.metrics.options import Option
from evaluation.problems.cautions import of_instances
from evaluation.problems.files import FilePerformance, FileProblem, FileTexts, FileWords
from evaluation.problems.images import LabelImagePictures
from evaluation.problems.instance_segmentation import InstanceEvidence, InstanceMetrics
from evaluation.problems.plausibility import Plausibility
from evaluation.problems.samples import ALGORITHMS, Samples
from evaluation.problems.score_ranges import (
    ANY_SCORE,
    SCORES,
    refuse_probability_metrics,
    refuse_score_thresholds,
    scores_option,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluation.assessment.model import Assessment
    from evaluation.checking import Finding
    from evaluation.checking.unused import Unused
    from evaluation.figures.case_sheets import CaseSheets
    from evaluation.metrics.values import FloatArray, Values
    from evaluation.problems.beside import TableBeside
    from evaluation.readers import Issue, Limits
    from evaluation.readers.instance_tables import Instances
    from evaluation.readers.run_lengths import InstanceMasks
    from evaluation.scoring.evidence_blocks import CaseEvidence
    from evaluation.scoring.masks_of_objects import PreparedMasks
    from evaluation.scoring.rows import Numbers, ScoredCase


class MaskPictures(LabelImagePictures):
    """Pictures of masks that may overlap; later objects of a file are drawn over earlier ones."""

    description = "Slices of {case} with the outlines of the predicted objects"
    caption = "Slices through the middle of the {shown}. Where objects overlap, the later one of the file is drawn."

    # What is opened of a case are masks, and not a label image.
    def outline_of(self, value: InstanceMasks) -> NDArray[Any]:  # type: ignore[override]
        """Return the number of the object that is drawn at each pixel."""
        from evaluation.scoring.masks_of_objects import painted

        return painted(value)

    def sheets(  # type: ignore[override]
        self,
        facts: Mapping[str, Any],
        image: NDArray[Any] | None,
        prediction: NDArray[Any] | None,
        reference: InstanceMasks,
    ) -> CaseSheets | None:
        """Draw all slices along all axes, with outlines."""
        from evaluation.figures.case_sheets import sheets_of_labels
        from evaluation.readers import Geometry

        return sheets_of_labels(Geometry.of(facts), image, prediction, self.outline_of(reference))


class MaskSamples(Samples):
    """Samples of instance segmentation with masks that may overlap."""

    def write_challenge(
        self, folder: Path, *, cases: int = 6, seed: int = 1, algorithms: Sequence[str] = ALGORITHMS
    ) -> dict[str, Any]:
        """Write overlapping discs; the first algorithm moves them a little, the second one further."""
        from evaluation.problems.examples import write_overlapping_discs

        write_overlapping_discs(folder, cases=cases, seed=seed, algorithms=algorithms)
        return {
            "schema": 1,
            "problem": "instance_segmentation",
            "regions": [{"name": "cell", "labels": ["cell"]}],
            "metrics": [{"id": "panoptic_quality"}, {"id": "fbeta"}],
            "settings": {"overlap": True},
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
        """Write overlapping masks of every registered class."""
        from evaluation.problems.registered_examples import write_overlapping_masks

        write_overlapping_masks(assessment, folder, cases=cases, seed=seed, algorithms=algorithms)


class MaskTexts(FileTexts):
    """Texts about instance segmentation with masks that may overlap on pages."""

    region_noun = "class"
    counted_noun = "objects"
    file_noun = "file of masks"
    decoy_columns = ("masks_sha256", "objects")

    def submit_page(self, assessment: Assessment, cases: int) -> FileWords:
        """Return the description of the files for the submit page."""
        before = (
            f"One file `<case>.json` for each of the {cases} cases, with the keys `size` and `objects`. Each object has "
            "`segmentation`: its mask in run-length encoding, as pycocotools writes it, or its polygons. Objects can also have "
            "`class` and `score`. Masks can overlap. Sizes are height, width and, for volumes, slices. Exports of QuPath "
            "(`<case>.geojson`) are accepted, too."
        )
        return FileWords(before=(before,), ending=".json", columns=("Pixels",))

    def fact_cells(self, facts: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the shape."""
        return (" × ".join(str(length) for length in facts["shape"]),)


class MaskPlausibility(Plausibility):
    """Plausibility of results of masks that may overlap."""

    metric_rules = (of_instances,)

    def are_features(self, features: Mapping[str, Any]) -> bool:
        """Return whether values have the form of `Unused.features`."""
        from evaluation.checking.unused import UNUSED, are_unused_features

        return not features or (set(features) == {UNUSED} and are_unused_features(features[UNUSED]))

    def questions(self, features: Mapping[str, Mapping[str, Any]], reasons: Mapping[str, Issue]) -> Sequence[Finding]:
        """Question the objects that are not used."""
        from evaluation.checking.unused import question_of_unused

        return question_of_unused(features)

    def is_possible(
        self, assessment: Assessment, case: str, reference: PreparedMasks, pieces: Mapping[tuple[str, str], Numbers]
    ) -> bool:
        """Return whether the objects of the reference are unchanged and the other pieces are possible."""
        from evaluation.scoring.objects import are_possible

        return are_possible(assessment, case, reference.objects, pieces)

    def summary_of(self, prediction: Path) -> dict[str, Any]:
        """Return the digest of the file and the number of objects that it lists."""
        import hashlib

        from evaluation.readers import ReadError
        from evaluation.readers.run_lengths import count_objects

        try:
            count = count_objects(prediction)
        except ReadError:
            return {}
        with prediction.open("rb") as file:
            return {"digest": hashlib.file_digest(file, "sha256").hexdigest(), "labelled": count}


class MaskMetrics(InstanceMetrics):
    """Metrics of masks that may overlap."""

    accepted_kinds = ("instance_segmentation",)
    rates_objects = False
    rates_object_parts = False


class MaskPerformance(FilePerformance):
    """Preparation and shortcuts of scoring for masks that may overlap."""

    def cost_of(self, facts: Mapping[str, Any]) -> int:
        """Return the number of pixels."""
        return math.prod(facts["shape"])


class OverlappingInstances(FileProblem):
    """Instance segmentation with one mask per object; masks may overlap."""

    id = "overlapping_instances"
    category = "InSO"
    settings = (
        Option("overlap", "boolean", True, "Objects can overlap, and files contain one mask per object."),
        scores_option("predicted objects"),
    )
    pictures = MaskPictures()
    samples = MaskSamples()
    texts = MaskTexts()
    plausibility = MaskPlausibility()
    evidence = InstanceEvidence()
    metrics = MaskMetrics()
    performance = MaskPerformance()

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Files of masks and of outlines."""
        from evaluation.readers import outlines, run_lengths

        return (run_lengths.SUFFIX, outlines.SUFFIX)

    # The assessment ---------------------------------------------------------------------------------------------------

    def complete_settings(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Refuse a setting that contradicts the kind."""
        from evaluation.assessment.errors import AssessmentError

        if not settings["overlap"]:
            raise AssessmentError(
                "settings.overlap", False, "true: objects that cannot overlap are instance_segmentation"
            )
        return settings

    def check(self, assessment: Assessment) -> None:
        """Refuse connected parts in place of objects, and means over classes without classes."""
        from evaluation.assessment.checks import check_classes_of_mean
        from evaluation.assessment.errors import AssessmentError

        for use in assessment.computed:
            if use.options.get("instance_connectivity", "as_submitted") != "as_submitted":
                path = "metrics.options.instance_connectivity"
                raise AssessmentError(
                    path,
                    use.options["instance_connectivity"],
                    '"as_submitted": parts of overlapping masks are not separated',
                )
        check_classes_of_mean(assessment)
        refuse_probability_metrics(assessment)
        refuse_score_thresholds(assessment)

    # Files ------------------------------------------------------------------------------------------------------------

    def read_reference(self, assessment: Assessment, path: Path) -> InstanceMasks:
        """Read the objects of a reference."""
        from evaluation.readers.run_lengths import MaskRules, read_masks

        return read_masks(
            path, rules=MaskRules.of(self._rules(assessment, are_predictions=False), are_predictions=False)
        )

    def expected(self, assessment: Assessment) -> Mapping[str, Any]:
        """Return the classes, and whether each object needs a class and a score."""
        return self._rules(assessment, are_predictions=True)

    def _rules(self, assessment: Assessment, *, are_predictions: bool) -> dict[str, Any]:
        from evaluation.assessment.instances import instance_rules

        rules = instance_rules(assessment)
        return {
            "classes": None if rules.classes is None else list(rules.classes),
            "need_class": rules.need_class,
            "need_scores": list(rules.need_scores) if are_predictions else [],
            **({SCORES: ANY_SCORE} if rules.any_score else {}),
        }

    def read_prediction(
        self, path: Path, facts: Mapping[str, Any], expected: Mapping[str, Any], *, limits: Limits | None = None
    ) -> InstanceMasks:
        """Read the objects of a prediction on the grid of the reference."""
        from evaluation.readers import Geometry
        from evaluation.readers.limits import DEFAULT
        from evaluation.readers.run_lengths import MaskRules, read_masks

        return read_masks(
            path,
            expected=Geometry.of(facts),
            rules=MaskRules.of(expected, are_predictions=True),
            by_object=True,
            limits=limits or DEFAULT,
        )

    def unused(self, content: InstanceMasks, table: TableBeside | None, *, case: str, file: str) -> Unused:
        """Return the objects that cannot be read."""
        from evaluation.scoring.masks_of_objects import unused_of

        return unused_of(content)

    def facts_of(self, content: InstanceMasks) -> dict[str, Any]:
        """Return the grid."""
        return content.geometry.document

    def byte_limit(self, facts: Mapping[str, Any]) -> int:
        """Return room for many objects that each cover a good part of the image."""
        return 64 * self.performance.cost_of(facts) + 16 * 1024**2

    def classes_of(
        self, assessment: Assessment, content: InstanceMasks, instances: Instances | None = None
    ) -> dict[str, int]:
        """Return the number of objects of each class."""
        names = [str(label) for region in assessment.regions for label in region.labels]
        counts = dict.fromkeys(names, 0)
        single = names[0] if len(names) == 1 else "objects"
        for each in content.objects:
            if not each.is_ignored:
                name = each.name or single
                counts[name] = counts.get(name, 0) + 1
        return counts

    # Scoring ----------------------------------------------------------------------------------------------------------

    def prepare(
        self, assessment: Assessment, content: InstanceMasks, instances: Instances | None = None
    ) -> PreparedMasks:
        """Return the objects of a reference."""
        from evaluation.scoring.masks_of_objects import prepare_masks

        return prepare_masks(content)

    def score(
        self,
        assessment: Assessment,
        case: str,
        reference: PreparedMasks,
        prediction: Path | None,
        *,
        algorithm: str = "",
        parts: bool = False,
    ) -> ScoredCase:
        """Match the objects of one case."""
        from evaluation.scoring.masks_of_objects import score_masks

        return score_masks(
            assessment, case, reference, prediction, expected=self.expected(assessment), algorithm=algorithm
        )

    def recompute(self, metric: Any, evidence: CaseEvidence, multiplicities: FloatArray) -> Values:
        """Recompute values of the data set from the hits of each case."""
        from evaluation.scoring.detection_evidence import recompute_objects

        return recompute_objects(metric, evidence, multiplicities)

    def shared_of_folder(self, assessment: Assessment, patients: Mapping[str, str] | None) -> dict[str, Any]:
        """Return the names of the classes, and the patient of each case."""
        from evaluation.scoring.objects import shared_evidence

        return shared_evidence(assessment, patients)


PROBLEM = OverlappingInstances()
