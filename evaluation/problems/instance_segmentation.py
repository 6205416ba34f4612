"""Instance segmentation: the objects of one label map against those of another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.metrics.options import Option
from evaluation.problems.cautions import of_instances
from evaluation.problems.files import FileEvidence
from evaluation.problems.grids import GEOMETRY
from evaluation.problems.images import (
    ImagePrediction,
    LabelImageMetrics,
    LabelImagePerformance,
    LabelImagePlausibility,
    LabelImageProblem,
    LabelImageReferenceRules,
    LabelImageSamples,
    LabelImageScorerFiles,
    LabelImageTexts,
    compared_by_rule,
)
from evaluation.problems.samples import ALGORITHMS
from evaluation.problems.score_ranges import refuse_probability_metrics, refuse_score_thresholds, scores_option

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from evaluation.assessment.model import Assessment, MetricUse
    from evaluation.checking.unused import Unused
    from evaluation.metrics.values import FloatArray, Values
    from evaluation.problems.base import Problem
    from evaluation.problems.beside import TableBeside
    from evaluation.readers import Issue, LabelImage
    from evaluation.readers.instance_tables import InstanceRules, Instances, InstanceTable
    from evaluation.scoring.evidence_blocks import CaseEvidence
    from evaluation.scoring.instances import PreparedInstances
    from evaluation.scoring.rows import Numbers, ScoredCase


class InstanceSamples(LabelImageSamples):
    """Samples of instance segmentation."""

    kind: InstanceSegmentation

    def worse_predictions(self, perfect: Mapping[str, Path], folder: Path) -> dict[str, dict[str, Path]]:
        """Worse label maps, with the rows of those objects that are still there."""
        import numpy as np

        from evaluation.problems.shown import INSTANCES, Rows
        from evaluation.readers import read_label_image

        by_kind = super().worse_predictions(perfect, folder)
        table = next((path for name, path in perfect.items() if name.startswith(INSTANCES)), None)
        if table is None:
            return by_kind
        rows = Rows.read(table)
        for number, files in enumerate(by_kind.values()):
            [labels] = files.values()
            present = {str(label) for label in np.unique(read_label_image(labels).labels)}
            rows_folder = folder / f"rows-{number}"
            rows_folder.mkdir()
            left = Rows(rows.columns, tuple(row for row in rows.rows if row[0] in present))
            files[f"{INSTANCES}.csv"] = left.written(rows_folder / f"{INSTANCES}.csv")
        return by_kind

    def write_challenge(
        self, folder: Path, *, cases: int = 6, seed: int = 1, algorithms: Sequence[str] = ALGORITHMS
    ) -> dict[str, Any]:
        """Discs with a number each; one algorithm moves them, one shrinks them."""
        from evaluation.problems.examples import write_label_images

        write_label_images(folder, cases=cases, seed=seed, algorithms=algorithms, numbered=True)
        return {
            "schema": 1,
            "problem": self.kind.id,
            "regions": [{"name": "cell", "labels": ["cell"]}],
            "metrics": [{"id": "panoptic_quality"}, {"id": "fbeta"}],
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
        """Write objects of every registered class."""
        from evaluation.problems.registered_examples import write_instances

        write_instances(assessment, folder, cases=cases, seed=seed, algorithms=algorithms)


class InstanceScorerFiles(LabelImageScorerFiles):
    """Files of instance segmentation for scoring images."""

    stems_and_kinds = (("labels", "label_image"), ("instances", "csv"))

    def write_reference(
        self, assessment: Assessment, content: LabelImage, instances: Instances | None, folder: Path
    ) -> dict[str, Path]:
        """Write the label map, and the class of each object where a table contains it."""
        return super().write_reference(assessment, content, instances, folder) | self._show_rows(instances, folder)

    def write_prediction(
        self, assessment: Assessment, content: LabelImage, said: Instances | None, folder: Path
    ) -> dict[str, Path]:
        """Write the label map, and the class and score of each object where a table contains them."""
        return super().write_prediction(assessment, content, said, folder) | self._show_rows(said, folder)

    def _show_rows(self, instances: Instances | None, folder: Path) -> dict[str, Path]:
        from evaluation.problems.shown import INSTANCES, Rows

        if instances is None:
            return {}
        rows = [
            (label, instance.name, instance.score, int(instance.ignored))
            for label, instance in sorted(instances.items())
        ]
        path = Rows.of(("instance", "class", "score", "ignore"), rows).written(folder / f"{INSTANCES}.csv")
        return {path.name: path}


class InstanceTexts(LabelImageTexts):
    """Texts about instance segmentation on pages."""

    region_noun = "class"
    counted_noun = "objects"


class InstancePlausibility(LabelImagePlausibility):
    """Plausibility of results of instance segmentation."""

    has_objects = True
    metric_rules = (of_instances,)

    def is_possible(
        self,
        assessment: Assessment,
        case: str,
        reference: PreparedInstances,
        pieces: Mapping[tuple[str, str], Numbers],
    ) -> bool:
        """Return whether the objects of the reference are unchanged and the other pieces are possible."""
        from evaluation.scoring.objects import are_possible

        return are_possible(assessment, case, reference.objects, pieces)

    def scan(self, regions: Sequence[Any], references: Path, predictions: Iterable[Path]) -> tuple[Any, Sequence[Any]]:
        """Measure every object of every label map."""
        from evaluation.advice.pitfalls.scan import scan_predictions, scan_references

        reference_scan = scan_references(references, regions, instances=True)
        return reference_scan, [
            scan_predictions(path.name, path, references, regions, instances=True) for path in predictions
        ]


class InstanceEvidence(FileEvidence):
    """Evidence of values of the whole data set for instance segmentation."""

    def regions_of(self, assessment: Assessment, use: MetricUse, shared: Mapping[str, Any]) -> list[str]:
        """Return the regions of the assessment; a mean over classes has one value."""
        from evaluation.scoring.objects import region_names

        return region_names(assessment, use)

    def hits_and_trials(self, metric: MetricUse, evidence: CaseEvidence) -> tuple[FloatArray, FloatArray] | None:
        """Objects found of those there, or right ones of those predicted."""
        from evaluation.scoring.detection_evidence import hits_of_objects

        return hits_of_objects(metric, evidence)


class InstanceMetrics(LabelImageMetrics):
    """Metrics of instance segmentation."""

    rates_objects = True
    rates_object_parts = True
    pixel_kind = "semantic_segmentation"


class InstancePerformance(LabelImagePerformance):
    """Preparation and shortcuts of scoring for instance segmentation."""

    def warm_up(self, assessment: Assessment, reference: PreparedInstances) -> None:
        """Compare the reference with itself, as rating the parts apart compares it with a prediction."""
        from evaluation.metrics.disentangled import disentangle
        from evaluation.scoring.disentangling import classes_of

        real = reference.objects.select(~reference.objects.ignored)
        disentangle(reference.objects, real, classes_of(assessment))


class InstanceSegmentation(LabelImageProblem):
    """Instance segmentation, in which every object has a separate number.

    A table next to the label maps may contain the class and score of each object.
    """

    id = "instance_segmentation"
    category = "InS"
    task_categories = ("instance_segmentation",)
    settings = (
        Option(
            "overlap",
            "boolean",
            False,
            "Objects can overlap; files then contain one mask or outline per object instead of a label map.",
            stands_where_set=True,
        ),
        GEOMETRY,
        scores_option("predicted objects"),
    )
    samples = InstanceSamples()
    scorer_files = InstanceScorerFiles()
    texts = InstanceTexts()
    references = LabelImageReferenceRules(labels_number_objects=True)
    plausibility = InstancePlausibility()
    evidence = InstanceEvidence()
    metrics = InstanceMetrics()
    performance = InstancePerformance()

    def variant(self, settings: object) -> Problem:
        """Return the kind for objects that may overlap, which has no label maps."""
        from collections.abc import Mapping

        from evaluation.problems.registry import get

        can_overlap = isinstance(settings, Mapping) and settings.get("overlap") is True
        return get("overlapping_instances") if can_overlap else self

    def check(self, assessment: Assessment) -> None:
        """Objects are found once for all metrics; a mean over classes needs classes, a threshold scores from 0 to 1."""
        from evaluation.assessment.checks import check_classes_of_mean, check_connectivity

        check_connectivity(assessment.computed)
        refuse_probability_metrics(assessment)
        refuse_score_thresholds(assessment)
        check_classes_of_mean(assessment)

    def table_beside(self, assessment: Assessment) -> InstanceRules:
        """Classes and scores of objects, as regions and metrics need them."""
        from evaluation.assessment.instances import instance_rules

        return instance_rules(assessment)

    def blank_label(self, assessment: Assessment) -> int:
        """Return 0: a stand-in contains no object, since each object would need a row in a table."""
        return 0

    def unused(self, content: LabelImage, table: TableBeside | None, *, case: str, file: str) -> Unused:
        """Return the rows without an object, and the objects without a valid row."""
        from evaluation.checking.unused import Unused
        from evaluation.readers.instance_tables import InstanceTable, rows_and_objects

        if not isinstance(table, InstanceTable):
            return Unused()
        return rows_and_objects(content, table, case=case, file=file)[1]

    def prepare(self, assessment: Assessment, image: LabelImage, instances: Instances | None = None) -> Any:
        """Find the objects."""
        from evaluation.scoring.instances import PreparedInstances

        return PreparedInstances(assessment, compared_by_rule(assessment, image), instances)

    def score(
        self,
        assessment: Assessment,
        case: str,
        reference: PreparedInstances,
        prediction: ImagePrediction | None,
        *,
        algorithm: str = "",
        parts: bool = False,
    ) -> ScoredCase:
        """Match the objects of one label map."""
        from evaluation.scoring.instances import score_instances

        image, table = (None, None) if prediction is None else prediction
        return score_instances(assessment, case, reference, image, table, algorithm=algorithm, apart=parts)

    def classes_of(
        self, assessment: Assessment, content: LabelImage, instances: Instances | None = None
    ) -> dict[str, int]:
        """Return the number of objects of each class.

        All objects belong to the only region where no table contains classes.
        """
        import numpy as np

        present = [int(label) for label in np.unique(content.labels) if label]
        names = [str(label) for region in assessment.regions for label in region.labels]
        single = names[0] if len(names) == 1 else "objects"
        if instances is None:
            return {single: len(present)}
        counts = dict.fromkeys(names, 0)
        for instance in instances.values():
            if not instance.ignored:
                name = instance.name or single
                counts[name] = counts.get(name, 0) + 1
        return counts

    def recompute(self, metric: MetricUse, evidence: CaseEvidence, multiplicities: FloatArray) -> Values:
        """From the hits of each case."""
        from evaluation.scoring.detection_evidence import recompute_objects

        return recompute_objects(metric, evidence, multiplicities)

    # Folders of the command line --------------------------------------------------------------------------------------

    def read_table_beside(self, assessment: Assessment, folder: Path) -> InstanceTable | None:
        """Read the classes of the references' objects, if a table next to the references contains them."""
        from evaluation.readers import ReadError
        from evaluation.readers.instance_tables import INSTANCES_FILE, read_instances

        path, rules = folder / INSTANCES_FILE, self.table_beside(assessment)
        if path.is_file():
            return read_instances(path, rules, scored=False)
        if rules.need_class:
            what = f"no such table beside the references, and the assessment has {len(assessment.regions)} regions"
            raise ReadError("not_found", INSTANCES_FILE, what, "the class of each object")
        return None

    def predicted_table(self, assessment: Assessment, folder: Path) -> TableBeside | Issue | None:
        """Classes and scores of an algorithm's objects; if they cannot be read, so can no case.

        Without scores the metrics that need them have no value, and all others have.
        """
        rules = self.table_beside(assessment)
        if not rules.need_class and not (folder / rules.file).is_file():
            return None
        return super().predicted_table(assessment, folder)

    def shared_of_folder(self, assessment: Assessment, patients: Mapping[str, str] | None) -> dict[str, Any]:
        """Names of the classes, and the patient of each case."""
        from evaluation.scoring.objects import shared_evidence

        return shared_evidence(assessment, patients)


PROBLEM = InstanceSegmentation()
