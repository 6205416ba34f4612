"""Semantic segmentation: regions of one label image against those of another."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from evaluation.metrics.options import Option
from evaluation.problems.cautions import of_volumes
from evaluation.problems.files import FILE_PATTERN, FileEvidence, FileWords
from evaluation.problems.grids import GEOMETRY
from evaluation.problems.images import (
    PATTERN,
    ImagePrediction,
    LabelImagePerformance,
    LabelImagePlausibility,
    LabelImageProblem,
    LabelImageReferenceRules,
    LabelImageSamples,
    LabelImageTexts,
    compared_by_rule,
)
from evaluation.problems.reference_rules import MergingRules
from evaluation.problems.region_rules import RegionRules
from evaluation.problems.samples import ALGORITHMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from evaluation.assessment.model import Assessment, MetricUse
    from evaluation.metrics.values import FloatArray, Values
    from evaluation.readers import LabelImage
    from evaluation.readers.instance_tables import Instances
    from evaluation.scoring.evidence_blocks import CaseEvidence
    from evaluation.scoring.rows import Numbers, ScoredCase


IGNORE_LABELS: Final = Option(
    "ignore_labels",
    "array",
    None,
    "Labels of the reference whose voxels count for no team: they belong to no region there, whatever was predicted",
    stands_where_set=True,
)


class SegmentationSamples(LabelImageSamples):
    """Samples of semantic segmentation."""

    kind: SemanticSegmentation

    def write_challenge(
        self, folder: Path, *, cases: int = 6, seed: int = 1, algorithms: Sequence[str] = ALGORITHMS
    ) -> dict[str, Any]:
        """Discs of two labels; one algorithm moves them, one shrinks them."""
        from evaluation.problems.examples import write_label_images

        write_label_images(folder, cases=cases, seed=seed, algorithms=algorithms, numbered=False)
        return {
            "schema": 1,
            "problem": self.kind.id,
            "regions": [{"name": "core", "labels": [2]}, {"name": "whole", "labels": [1, 2]}],
            "metrics": [{"id": "dsc"}, {"id": "assd"}],
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
        """Write every registered label."""
        from evaluation.problems.registered_examples import write_blobs

        write_blobs(assessment, folder, cases=cases, seed=seed, algorithms=algorithms)


class SegmentationTexts(LabelImageTexts):
    """Texts about semantic segmentation on pages."""

    counted_noun = "voxels"

    def submit_page(self, assessment: Assessment, cases: int) -> FileWords:
        """Return the description of the label images, with the labels of the reference that are ignored."""
        described = super().submit_page(assessment, cases)
        labels = assessment.settings.get(IGNORE_LABELS.name)
        if not labels:
            return described
        sentence = f"Voxels with the label {' or '.join(map(str, labels))} in the reference are not scored."
        return replace(described, before=(*described.before, sentence))


class SegmentationPlausibility(LabelImagePlausibility):
    """Plausibility of results of semantic segmentation."""

    metric_rules = (of_volumes,)

    def scan(self, regions: Sequence[Any], references: Path, predictions: Iterable[Path]) -> tuple[Any, Sequence[Any]]:
        """Measure regions and their parts in every label image."""
        from evaluation.advice.pitfalls.scan import scan_predictions, scan_references

        reference_scan = scan_references(references, regions, instances=False)
        return reference_scan, [
            scan_predictions(path.name, path, references, regions, instances=False) for path in predictions
        ]

    def is_possible(
        self, assessment: Assessment, case: str, reference: Any, pieces: Mapping[tuple[str, str], Numbers]
    ) -> bool:
        """Return whether the voxels of the reference are unchanged and those of the prediction fit into the image."""
        from evaluation.scoring.semantic import are_possible

        return are_possible(assessment, reference, pieces)


class SegmentationEvidence(FileEvidence):
    """Evidence of values of the whole data set for semantic segmentation."""

    def regions_of(self, assessment: Assessment, use: MetricUse, shared: Mapping[str, Any]) -> list[str]:
        """Return the regions of the assessment, and the background where the metric includes it."""
        from evaluation.scoring.semantic import BACKGROUND

        names = [region.name for region in assessment.regions]
        return [*names, BACKGROUND] if use.options.get("include_background") else names


class SegmentationReferenceRules(LabelImageReferenceRules):
    """References of semantic segmentation."""

    merging = MergingRules(
        {
            "majority_vote": "majority vote: the label with more votes than any other, background in a tie",
            "staple": "STAPLE for several labels",
            "strict": "strict: a label where all annotators agree, background elsewhere",
        }
    )


class SegmentationPerformance(LabelImagePerformance):
    """Preparation and shortcuts of scoring for semantic segmentation."""

    kind: SemanticSegmentation

    def preload(self) -> None:
        """Score a small image once, with surfaces and distances."""
        import numpy as np

        from evaluation.assessment import parse
        from evaluation.readers import Geometry, LabelImage

        document = {
            "schema": 1,
            "problem": self.kind.id,
            "regions": [{"name": "any", "labels": [1]}],
            "metrics": [{"id": "dsc"}, {"id": "nsd", "options": {"tolerance": 1.0}}, {"id": "assd"}],
        }
        labels = np.zeros((8, 8, 8), dtype=np.uint8)
        labels[2:5, 2:5, 2:5] = 1
        image, assessment = LabelImage(labels, Geometry(labels.shape)), parse(document)
        self.warm_up_with(assessment, self.kind.prepare(assessment, image), image)


class SemanticSegmentation(LabelImageProblem):
    """Every voxel has a label; a region is a union of labels."""

    id = "semantic_segmentation"
    category = "SemS"
    task_categories = ("segmentation", "semantic_segmentation")
    regions = RegionRules(are_required=True, have_numbered_labels=True)
    samples = SegmentationSamples()
    texts = SegmentationTexts()
    plausibility = SegmentationPlausibility()
    evidence = SegmentationEvidence()
    references = SegmentationReferenceRules()
    performance = SegmentationPerformance()
    settings: tuple[Option, ...] = (IGNORE_LABELS, GEOMETRY, PATTERN)

    def complete_settings(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Ignored labels as whole numbers."""
        from evaluation.assessment.errors import AssessmentError

        labels = settings.get(IGNORE_LABELS.name)
        if labels is None:
            return settings
        if len(set(labels)) < len(labels) or any(label != int(label) or label < 1 for label in labels):
            raise AssessmentError(f"settings.{IGNORE_LABELS.name}", labels, "different whole numbers from 1 on")
        return settings | {IGNORE_LABELS.name: sorted(int(label) for label in labels)}

    def check(self, assessment: Assessment) -> None:
        """A label is ignored or part of a region; tolerances are those of regions."""
        from evaluation.assessment.checks import check_tolerances
        from evaluation.assessment.errors import AssessmentError
        from evaluation.checking.naming import pattern_problem

        ignored = assessment.settings.get(IGNORE_LABELS.name, [])
        if both := sorted(set(ignored) & set(self.allowed_labels(assessment))):
            raise AssessmentError(f"settings.{IGNORE_LABELS.name}", both, "labels that no region contains")
        pattern = assessment.settings.get(FILE_PATTERN)
        if pattern is not None and (allowed := pattern_problem(pattern, self.suffixes)):
            raise AssessmentError(f"settings.{FILE_PATTERN}", pattern, allowed)
        check_tolerances(assessment)

    def read_reference(self, assessment: Assessment, path: Path) -> LabelImage:
        """Read a label image with the labels of the assessment and those that are ignored."""
        from evaluation.problems.dimensions import refuse_flat
        from evaluation.readers import read_label_image

        labels = {*self.allowed_labels(assessment), *assessment.settings.get(IGNORE_LABELS.name, [])}
        image = read_label_image(path, allowed_labels=sorted(labels))
        refuse_flat(assessment, image.geometry, path.name)
        return image

    def allowed_labels(self, assessment: Assessment) -> tuple[int, ...]:
        """Those that regions name."""
        return tuple(sorted({int(label) for region in assessment.regions for label in region.labels}))

    def classes_of(
        self, assessment: Assessment, content: LabelImage, instances: Instances | None = None
    ) -> dict[str, int]:
        """Voxels of each region."""
        import numpy as np

        labels, counts = np.unique(content.labels, return_counts=True)
        voxels_by_label = dict(zip(labels.tolist(), counts.tolist(), strict=True))
        return {
            region.name: sum(voxels_by_label.get(int(label), 0) for label in set(region.labels))
            for region in assessment.regions
        }

    def prepare(self, assessment: Assessment, image: LabelImage, instances: Instances | None = None) -> Any:
        """Cut out the regions."""
        from evaluation.scoring.semantic import PreparedReference

        return PreparedReference(assessment, compared_by_rule(assessment, image))

    def score(
        self,
        assessment: Assessment,
        case: str,
        reference: Any,
        prediction: ImagePrediction | None,
        *,
        algorithm: str = "",
        parts: bool = False,
    ) -> ScoredCase:
        """Score the regions of one label image."""
        from evaluation.scoring.semantic import score_case

        image = None if prediction is None else prediction.image
        return score_case(assessment, case, reference, image, algorithm=algorithm)

    def recompute(self, metric: MetricUse, evidence: CaseEvidence, multiplicities: FloatArray) -> Values:
        """From the voxels of each case, and their size where mm³ are summed."""
        from evaluation.scoring.semantic import recompute_overlap

        return recompute_overlap(metric, evidence, multiplicities)

    def shared_of_folder(self, assessment: Assessment, patients: Mapping[str, str] | None) -> dict[str, Any]:
        """Patient of each case."""
        return {"classes": [], "patients": dict(patients or {})}


PROBLEM = SemanticSegmentation()
