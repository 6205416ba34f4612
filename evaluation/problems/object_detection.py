"""Object detection: boxes or points of each case against those of the references."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from evaluation.problems.cautions import never_hits
from evaluation.problems.coordinates import (
    AREA_COLUMN,
    DISTANCE,
    SETTINGS,
    axes_of,
    check_settings,
    coordinate_words,
    positive_fact,
    refuse_fixed_thresholds,
    spacings,
)
from evaluation.problems.evidence import KindEvidence
from evaluation.problems.metric_rules import MetricRules
from evaluation.problems.pictures import AnswerView, Pictures
from evaluation.problems.plausibility import Plausibility
from evaluation.problems.samples import ALGORITHMS
from evaluation.problems.score_ranges import ANY_SCORE, SCORES, scores_option
from evaluation.problems.tables import (
    CATEGORY_IDS,
    IMAGE_IDS,
    ExpectedTable,
    PredictionTable,
    ReferenceTable,
    ReferenceTableError,
    SubmitWords,
    TableProblem,
    TableReferenceRules,
    TableReferences,
    TableSamples,
    TableScorerFiles,
    TableTexts,
    some_classes,
)
from evaluation.wording import joined

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluation.assessment.model import Assessment, MetricUse
    from evaluation.checking import Finding
    from evaluation.figures.case_sheets import CaseSheets
    from evaluation.matching import Objects
    from evaluation.metrics.values import FloatArray, Values
    from evaluation.problems.case_answers import CaseAnswers
    from evaluation.problems.shown import Rows
    from evaluation.readers import Issue
    from evaluation.readers.limits import Limits
    from evaluation.readers.object_tables import ObjectTable
    from evaluation.scoring.evidence_blocks import CaseEvidence
    from evaluation.scoring.rows import Numbers, ScoredCase

_MASKS: Final = "loc_point_in_mask"
"""The hit criterion that needs masks in the references."""
_IDS_SHOWN: Final = 3
_NAMES_SHOWN: Final = 3
_NAME_SHOWN: Final = 40
_UNNAMED: Final = "objects"
"""Class name of objects where no class is named."""


class ObjectReferences(ReferenceTable):
    """Objects of every case."""

    def __init__(self, table: ObjectTable) -> None:
        name, axes = table.kind
        self.table = table
        self.cases = table.cases
        self.content = f"{name} of {axes} axes"
        self.class_names = class_names(table)
        self.facts = {"objects": name, "axes": axes}
        if len(self.class_names) == 1:
            self.facts["class"] = self.class_names[0]

    def covered(self, cases: Sequence[str]) -> list[str]:
        """Of a CSV file these are all, since a case without objects has no row; COCO JSON lists its images."""
        return super().covered(cases) if self.table.image_names else list(cases)


@dataclass
class ObjectPredictions(PredictionTable):
    """Predicted objects of every case."""

    table: ObjectTable
    file: str
    absent: frozenset[str]
    strange: Sequence[str]
    most_of_case: int | None = None
    without_row: str = "no object predicted"
    names_of_no_case: Mapping[str, Any] | None = None
    """Facts of the question about names or ids of which none is one of the task, so that no case has a prediction."""

    def issue(self, case: str) -> Issue | None:
        """Too many rows of a case; one that cannot be read costs only itself, see `remark`."""
        from evaluation.readers import Issue

        number = self.table.objects[case].size if case in self.table.objects else 0
        if self.most_of_case is None or number <= self.most_of_case:
            return None
        what = f"{self.file}: case {case}: {number:,} objects; at most {self.most_of_case:,} are taken"
        return Issue("too_many", what, "Keep those with the highest scores.")

    @property
    def dropped(self) -> Mapping[str, Sequence[Issue]]:
        """Reasons of the rows that could not be read; their objects count as not predicted."""
        return self.table.dropped

    @property
    def rows(self) -> int:
        """Number of objects that were read."""
        return sum(objects.size for objects in self.table.objects.values())

    def findings(self, file: str) -> list[Finding]:
        """Return the findings about the table: rows that were not used, and boxes that look like another form."""
        from evaluation.checking.objects import questions
        from evaluation.checking.sentences import finding

        if self.names_of_no_case is not None:
            return [finding("names_of_no_case", file=file, **self.names_of_no_case)]
        return [*super().findings(file), *questions(self.table, file)]

    def is_empty(self, case: str) -> bool:
        """Return whether a case has no object, even if COCO JSON lists the case."""
        return case not in self.table.objects

    def of(self, case: str) -> Objects | None:
        """The objects of a case, none if it has none; ``None`` if no name is one of the task."""
        return None if self.names_of_no_case is not None else self.table.of(case)

    @property
    def unused(self) -> Sequence[str]:
        """Cases with objects that are not expected, ascending."""
        return sorted(set(self.strange) & set(self.table.objects))


class ObjectPictures(Pictures):
    """Pictures of object detection."""

    description = "{case} with the objects of the prediction"

    def can_be_drawn(self, facts: Mapping[str, Any], *, has_image: bool) -> bool:
        """Objects on an image, of a volume as of a picture."""
        return has_image and facts.get("axes") in (2, 3)

    def outline_form(self, facts: Mapping[str, Any]) -> tuple[str, tuple[int, ...]]:
        """A row an object: lower and then upper corner, or a point."""
        return "float64", (-1, facts["axes"] * (1 if facts["objects"] == "points" else 2))

    def outline_of(self, value: Objects) -> NDArray[Any]:
        """Boxes or points of objects."""
        import numpy as np

        places = value.boxes if value.has_extent else value.points_given
        return np.empty((0, 0)) if places is None else places

    def draw(
        self,
        facts: Mapping[str, Any],
        image: NDArray[Any] | None,
        prediction: NDArray[Any] | None,
        reference: NDArray[Any] | None,
    ) -> bytes | None:
        """Draw boxes, or rings around points, on the image."""
        from evaluation.figures.case_sheets import picture_of_places

        return picture_of_places(facts["axes"], image, prediction, reference)

    def sheets(
        self,
        facts: Mapping[str, Any],
        image: NDArray[Any] | None,
        prediction: NDArray[Any] | None,
        reference: Objects,
    ) -> CaseSheets | None:
        """Boxes or points on the image."""
        from evaluation.figures.case_sheets import sheets_of_places

        return sheets_of_places(facts["axes"], image, prediction, self.outline_of(reference))


class ObjectAnswerView(AnswerView):
    """Answers to a case of object detection, line by line."""

    def numbers_of(self, value: Objects, shared: Mapping[str, Any]) -> NDArray[Any]:
        """Return the number of objects of each class.

        All objects belong to the only class where none is named.
        """
        import numpy as np

        classes = [str(name) for name in shared["classes"] if name] or [_UNNAMED]
        if value.classes is None:
            return np.array([len(value), *(0 for _ in classes[1:])], dtype=float)
        named = [str(name or (classes[0] if len(classes) == 1 else "")) for name in value.classes]
        return np.array([named.count(name) for name in classes], dtype=float)

    def lines(
        self, assessment: Assessment, shared: Mapping[str, Any], answer: NDArray[Any] | None, reference: Objects
    ) -> CaseAnswers:
        """Return the predicted and the actual number of objects of each class."""
        from evaluation.problems.case_answers import CaseAnswer, CaseAnswers, number

        classes = [str(name) for name in shared["classes"] if name] or [_UNNAMED]
        reference_counts = self.numbers_of(reference, shared).tolist()
        predicted_counts = (
            [None] * len(reference_counts)
            if answer is None or answer.size != len(reference_counts)
            else answer.tolist()
        )
        lines = [
            CaseAnswer(name, number(one), number(other), number(None if one is None else one - other))
            for name, one, other in zip(classes, predicted_counts, reference_counts, strict=True)
        ]
        return CaseAnswers.of("Objects of the class", lines, "Difference")


class ObjectSamples(TableSamples):
    """Samples of object detection."""

    kind: ObjectDetection

    def perfect_rows(self, reference: Rows, shared: Mapping[str, Any]) -> Rows:
        """Every object that counts, with the score 1."""
        from evaluation.problems.shown import Rows

        ignored = reference.columns.index("ignore")
        rows = ((row[0], "1.0", *row[ignored + 1 :]) for row in reference.rows if row[ignored] != "1")
        return Rows.of(("class", "score", *reference.columns[ignored + 1 :]), rows)

    def worse_rows(self, perfect: Rows) -> dict[str, Rows]:
        """Return worse predictions by name.

        They are: no objects, all objects shifted by their extent, the same number elsewhere, and all objects with the
        same number of additional ones.
        """
        from evaluation.problems.shown import Rows, draws

        places = perfect.columns[2:]
        values = [[float(value) for value in row[2:]] for row in perfect.rows] or [[0.0] * len(places)]
        reach = max(max(map(max, values)) - min(map(min, values)), 1.0)
        drawn = draws().uniform(1.0, 2.0, max(len(perfect.rows), 1)) * reach
        shifted = perfect.changed(places, lambda value, _: value + reach)
        elsewhere = perfect.changed(places, lambda value, row: value + float(drawn[row]))
        return {
            "empty": Rows(perfect.columns, ()),
            "shifted": shifted,
            "noise": elsewhere,
            "too many": Rows(perfect.columns, (*perfect.rows, *elsewhere.rows)),
        }

    def write_challenge(
        self, folder: Path, *, cases: int = 6, seed: int = 1, algorithms: Sequence[str] = ALGORITHMS
    ) -> dict[str, Any]:
        """Boxes of two classes; one algorithm moves them, one misses some."""
        from evaluation.problems.examples import write_boxes

        write_boxes(folder, cases=cases, seed=seed, algorithms=algorithms)
        return {
            "schema": 1,
            "problem": self.kind.id,
            "regions": [{"name": "lesion", "labels": ["lesion"]}, {"name": "node", "labels": ["node"]}],
            "metrics": [
                {"id": "average_precision", "options": {"localization_criterion": "loc_box_iou"}},
                {"id": "sensitivity", "options": {"scale": "image"}},
            ],
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
        """Write objects of every registered class, as boxes or as points."""
        from evaluation.problems.registered_examples import write_objects

        columns = self.kind.references.columns_by_table(assessment)[self.kind.table_files[0]]
        write_objects(assessment, folder, columns=columns, cases=cases, seed=seed, algorithms=algorithms)


class ObjectScorerFiles(TableScorerFiles):
    """Files of object detection for scoring images."""

    stems_and_kinds = (("objects", "csv"),)

    def reference_rows(self, table: ReferenceTable, case: str, shared: Mapping[str, Any]) -> Rows:
        """The objects of the case, with those that are to be ignored."""
        from evaluation.problems.shown import Rows

        assert isinstance(table, ObjectReferences)
        objects = table.table.of(case)
        names = ("class", "ignore", *_places(*table.table.kind))
        rows = zip(_classes(objects), objects.ignored.astype(int), *_coordinates(objects).T, strict=True)
        return Rows.of(names, rows)

    def prediction_rows(self, prediction: Objects, shared: Mapping[str, Any]) -> Rows:
        """The objects of the case, with their scores where there are any."""
        from evaluation.problems.shown import Rows

        kind = "points" if prediction.points_given is not None else "boxes"
        scores = [None] * len(prediction) if prediction.scores is None else prediction.scores
        rows = zip(_classes(prediction), scores, *_coordinates(prediction).T, strict=True)
        return Rows.of(("class", "score", *_places(kind, prediction.dimensions)), rows)


class ObjectTexts(TableTexts):
    """Texts about object detection on pages."""

    region_noun = "class"
    decoy_columns = ("objects_sha256", "objects")
    counted_noun = "objects"

    def submit_page(self, expected: ExpectedTable, cases: int, *, incomplete_cost: str = "") -> SubmitWords:
        """Return the description of the table for the submit page."""
        noun = "point" if expected.kind[0] == "points" else "box"
        scores = ", and every object needs one" if expected.need_scores else ""
        before = (
            f"One table `objects.csv` with a row for each predicted {noun} of the {cases} cases, packed into an archive or "
            "dropped as it is; COCO results as `objects.json` are read as well. "
            f"{_id_words(expected)} "
            f"{coordinate_words(expected.unit)} The score is {_range_words(expected.scores)}{scores}."
        )
        decision = (
            "A column `decision` is optional: 1 for an object that you report as detected, 0 for any other. Metrics with a "
            "score threshold then count the objects with 1. Fill it in every row or leave it out."
        )
        dropped = "A row that cannot be read costs only itself: the object counts as not predicted, and the report names the row."
        return SubmitWords(
            (before, decision),
            expected.columns,
            f"{expected.classes[0] if expected.classes else ''},…",
            (dropped,),
            "A case without a row is an answer, too: that nothing was found.",
        )


class ObjectPlausibility(Plausibility):
    """Plausibility of results of object detection."""

    kind: ObjectDetection

    result_rules = (never_hits,)

    def is_possible(
        self, assessment: Assessment, case: str, reference: Objects, pieces: Mapping[tuple[str, str], Numbers]
    ) -> bool:
        """Return whether the objects of the reference are unchanged and the other pieces are possible."""
        from evaluation.scoring.objects import are_possible

        return are_possible(assessment, case, reference, pieces)

    def summary_of(self, prediction: Objects) -> dict[str, Any]:
        """Return the digest of the objects, independent of their order, and their number."""
        from evaluation.canonical import sha256

        places = prediction.boxes_given if prediction.boxes_given is not None else prediction.points_given
        rows = [
            [
                *(coordinates.tolist() if places is not None else ()),
                str(prediction.classes[number]) if prediction.classes is not None else "",
                None if prediction.scores is None else float(prediction.scores[number]),
            ]
            for number, coordinates in enumerate(places if places is not None else ())
        ]
        return {"digest": sha256(sorted(rows, key=repr)), "labelled": prediction.size}

    def scan(self, regions: Sequence[Any], references: Path, predictions: Iterable[Path]) -> tuple[Any, Sequence[Any]]:
        """Measure every object of the table of references."""
        from evaluation.advice.pitfalls.scan_tables import scan_objects
        from evaluation.readers.object_tables import read_objects

        files = [references / name for name in self.kind.table_files]
        path = next((path for path in files if path.is_file()), files[0])
        return scan_objects(read_objects(path, scored=False)), []


class ObjectEvidence(KindEvidence):
    """Evidence of values of the whole data set for object detection."""

    def shared(
        self, assessment: Assessment, shared: Mapping[str, Any], facts: Mapping[str, Mapping[str, Any]]
    ) -> Mapping[str, Any]:
        """Return the stored content without the ids of a list of results, which only reading needs."""
        return {name: value for name, value in shared.items() if name not in (IMAGE_IDS, CATEGORY_IDS)}

    def regions_of(self, assessment: Assessment, use: MetricUse, shared: Mapping[str, Any]) -> list[str]:
        """Return the regions of the assessment; a mean over classes has one value."""
        from evaluation.scoring.objects import region_names

        return region_names(assessment, use)

    def hits_and_trials(self, metric: MetricUse, evidence: CaseEvidence) -> tuple[FloatArray, FloatArray] | None:
        """Objects found of those there, or right ones of those predicted."""
        from evaluation.scoring.detection_evidence import hits_of_objects

        return hits_of_objects(metric, evidence)


class ObjectMetrics(MetricRules):
    """Metrics of object detection."""

    rates_objects = True
    pixel_kind = "semantic_segmentation"


class ObjectReferenceRules(TableReferenceRules):
    """References of object detection."""

    kind: ObjectDetection

    def columns_by_table(self, assessment: Assessment) -> Mapping[str, tuple[str, ...]]:
        """Case, class where the task names classes, and coordinates: boxes where a metric compares extents, else points."""
        classes = ("class",) if assessment.regions else ()
        kind = "boxes" if extent_metrics(assessment) else "points"
        return {self.kind.table_files[0]: ("case", *classes, *_places(kind, axes_of(assessment.settings)))}

    def check_annotator(self, table: ReferenceTable, assessment: Assessment, cases: Sequence[str]) -> None:
        """The same as of references."""
        self.kind.check_references(table, assessment, cases)


class ObjectDetection(TableProblem):
    """Boxes or points with a class and a score."""

    id = "object_detection"
    category = "ObD"
    task_categories = ("detection", "localization")
    table_files = ("objects.csv", "objects.json")
    settings = (*SETTINGS, scores_option("predicted objects"))
    pictures = ObjectPictures()
    answer_view = ObjectAnswerView()
    samples = ObjectSamples()
    scorer_files = ObjectScorerFiles()
    texts = ObjectTexts()
    plausibility = ObjectPlausibility()
    evidence = ObjectEvidence()
    metrics = ObjectMetrics()
    references = ObjectReferenceRules()

    def complete_settings(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Check that unit and spacing fit together."""
        check_settings(settings)
        return settings

    def check(self, assessment: Assessment) -> None:
        """A mean over classes needs classes; scores of any size have no fixed threshold."""
        from evaluation.assessment.checks import check_classes_of_mean

        check_classes_of_mean(assessment)
        refuse_fixed_thresholds(assessment)

    def read_references(self, path: Path) -> ObjectReferences:
        """Read ``objects.csv`` or ``objects.json``."""
        from evaluation.readers.object_tables import read_objects

        return ObjectReferences(read_objects(path, scored=False))

    def check_references(self, table: ReferenceTable, assessment: Assessment, cases: Sequence[str]) -> None:
        """Refuse classes that the assessment does not name; a case without objects is one without rows.

        An assessment that names no class has one class: references may leave it empty or give it one name. Where the
        assessment names several classes, every object of the references needs one of them.
        """
        assert isinstance(table, ObjectReferences)
        if of_masks := [use.name for use in assessment.computed if use.options.get("localization_criterion") == _MASKS]:
            message = f"{joined(of_masks)} need masks, which a table of objects does not have. Register another hit criterion."
            raise ReferenceTableError(message)
        if table.facts["objects"] == "points" and (needing := extent_metrics(assessment)):
            message = (
                f"The references are points, and {joined(needing)} compare extents, which points do not have. "
                "Seal boxes, or register the hit criterion loc_center_distance."
            )
            raise ReferenceTableError(message)
        labels = {str(label) for region in assessment.regions for label in region.labels}
        if not labels and len(table.class_names) > 1:
            message = (
                f"The references name {len(table.class_names)} classes ({some_classes(table.class_names)}), and the design names none. "
                "Name the classes in the design under “Scored regions or classes”, or give all objects one class."
            )
            raise ReferenceTableError(message)
        for case in cases if labels else ():
            names = _classes(table.table.of(case))
            if strange := sorted({name for name in names if name} - labels):
                message = f"The reference of case {case} has the class {strange[0][:40]!r}. The design names {some_classes(sorted(labels))}."
                raise ReferenceTableError(message)
            if len(labels) > 1 and "" in names:
                message = (
                    f"The reference of case {case} has an object without a class. The design names several classes: write "
                    f"one of {some_classes(sorted(labels))} in the column class of each row."
                )
                raise ReferenceTableError(message)

    def read_predictions(
        self,
        path: Path,
        cases: Sequence[str],
        shared: Mapping[str, Any],
        *,
        references: ReferenceTable | None = None,
        every_reason: bool = False,
        most_of_case: int | None = None,
        limits: Limits | None = None,
    ) -> ObjectPredictions:
        """Read ``objects.csv`` or ``objects.json``; a list of COCO results refers to the ids of the task, or to names of cases."""
        from evaluation.readers.limits import DEFAULT
        from evaluation.readers.object_tables import ObjectTable, ResultIds, RowRules, UnknownImagesError, read_objects

        names = tuple(str(name) for name in shared["classes"] if name)
        if not names and isinstance(references, ObjectReferences):
            names = tuple(references.class_names)
        public_ids = shared
        if isinstance(references, ObjectReferences):
            public_ids = _ids_of(references, cases, names)
        ids = ResultIds.of_names(cases, names)
        if public_ids.get(IMAGE_IDS):
            ids = ResultIds.of_ids(public_ids[IMAGE_IDS], public_ids[CATEGORY_IDS], names)
        rules = RowRules(names or None, need_class=len(names) > 1, any_score=shared.get("scores") == ANY_SCORE)
        expected = set(cases)
        try:
            table = read_objects(path, scored=True, ids=ids, rules=rules, limits=limits or DEFAULT)
        except UnknownImagesError as error:
            question = _names_of_no_case("image ids", [str(each) for each in error.given], error.expected)
            return ObjectPredictions(
                ObjectTable({}, []),
                path.name,
                absent=frozenset(expected),
                strange=[],
                without_row="",
                names_of_no_case=question,
            )
        named = set(table.cases)
        predictions = ObjectPredictions(
            table,
            path.name,
            absent=frozenset(expected - named),
            strange=[case for case in table.cases if case not in expected],
            most_of_case=most_of_case,
        )
        if table.cases and not expected & named:
            predictions.without_row = ""
            words = "image names" if path.suffix.lower() == ".json" else "case names"
            examples = f"names such as {', '.join(list(cases)[:_NAMES_SHOWN])}"
            predictions.names_of_no_case = _names_of_no_case(words, table.cases, examples)
        return predictions

    def check_predictions(self, table: PredictionTable, path: Path, expected: ExpectedTable) -> None:
        """Refuse a table without any object, of another kind or class, or without scores that a metric needs."""
        from evaluation.readers import ReadError

        assert isinstance(table, ObjectPredictions)
        if table.names_of_no_case is not None:
            return
        object_table = table.table
        if not object_table.objects:
            if expected.may_be_empty:
                return
            raise ReadError("table", path.name, "no object in any case", "at least one row")
        if object_table.kind != expected.kind:
            given, expected_kind = (f"{name} with {axes} axes" for name, axes in (object_table.kind, expected.kind))
            raise ReadError("table", path.name, given, expected_kind)
        if expected.need_scores and any(objects.scores is None for objects in object_table.objects.values()):
            raise ReadError(
                "table", path.name, f"objects without a score, which {', '.join(expected.need_scores)} need"
            )
        classes = set(expected.classes)
        if strange := [name for name in class_names(object_table) if name not in classes]:
            allowed = (
                f"one of {some_classes(expected.classes)}" if classes else "no class: this task has one, without a name"
            )
            raise ReadError("table", path.name, f"the class {strange[0][:40]!r}", allowed)
        if len(classes) > 1 and has_unnamed_objects(object_table):
            raise ReadError("table", path.name, "objects without a class", f"one of {some_classes(expected.classes)}")

    def open_references(self, assessment: Assessment, folder: Path) -> TableReferences:
        """Read and check the table of references of a folder, as a platform does when it seals them."""
        from evaluation.readers import ReadError

        references = super().open_references(assessment, folder)
        try:
            self.check_references(references.table, assessment, references.cases)
        except ReferenceTableError as error:
            raise ReadError("table", folder.name, str(error)) from None
        return references

    def check_opened(
        self, assessment: Assessment, table: PredictionTable, path: Path, references: TableReferences
    ) -> None:
        """Refuse objects of another kind or class."""
        expected = self.with_facts(self.expected(assessment, references.shared), references.table.facts)
        self.check_predictions(table, path, replace(expected, need_scores=(), may_be_empty=True))

    def columns(self, expected: ExpectedTable) -> tuple[str, ...]:
        """Case, class where the task has one, score and coordinates."""
        classes = ("class",) if expected.classes else ()
        return ("case", *classes, "score", *_places(*expected.kind))

    # What a scoring image is shown ------------------------------------------------------------------------------------

    def with_facts(self, expected: ExpectedTable, facts: Mapping[str, Any]) -> ExpectedTable:
        """With boxes or points, as the references have them, and the one class that they name where the assessment names none."""
        if "class" in facts and not expected.classes:
            expected = replace(expected, classes=(str(facts["class"]),))
        return replace(expected, kind=(facts["objects"], facts["axes"])) if "objects" in facts else expected

    def shared(
        self,
        table: ReferenceTable,
        assessment: Assessment,
        cases: Sequence[str],
        patients: Mapping[str, str],
        named: Sequence[str] = (),
    ) -> dict[str, Any]:
        """Names of the classes, the patient of each case, and whether scores may be any number."""
        from evaluation.scoring.objects import shared_evidence

        return shared_evidence(assessment, patients)

    def public_ids(
        self, table: ReferenceTable, assessment: Assessment, cases: Sequence[str], *, has_decoys: bool = False
    ) -> dict[str, Any]:
        """Ids of the images and categories of references as COCO JSON, if every case has one; names of other references.

        Ids of images are not returned with decoys, because their numbers could reveal which cases are decoys.
        """
        assert isinstance(table, ObjectReferences)
        if has_decoys and table.table.image_names:
            return {}
        labels = sorted({str(label) for region in assessment.regions for label in region.labels})
        return _ids_of(table, cases, labels or table.class_names)

    def listed_cases(self, table: ReferenceTable, folder: Path) -> Sequence[str]:
        """Those of ``cases.csv``, since a case without objects has no row; else those of the table."""
        from evaluation.problems.folders import CASES_FILE
        from evaluation.readers import ReadError
        from evaluation.readers.cells import read_table

        listed = folder / CASES_FILE
        cases = sorted(set(read_table(listed, ("case",)).text("case")) if listed.is_file() else set(table.cases))
        if not cases:
            raise ReadError("table", "objects", "no case at all")
        return cases

    def prepare(self, table: ReferenceTable, case: str, shared: Mapping[str, Any]) -> Objects:
        """Return the objects of a case, with the registered size of its pixels."""
        assert isinstance(table, ObjectReferences)
        objects = table.table.of(case)
        spacing = shared.get("spacings", {}).get(case)
        return objects if spacing is None else objects.with_spacing(spacing)

    def shared_facts(
        self, table: ReferenceTable, assessment: Assessment, facts: Mapping[str, Mapping[str, Any]]
    ) -> dict[str, Any]:
        """Return the size of a pixel of each case, where a spacing is registered, and its area, where a metric counts per area."""
        assert isinstance(table, ObjectReferences)
        by_case = spacings(assessment, table.table.kind[1], facts)
        shared: dict[str, Any] = {"spacings": by_case} if by_case else {}
        if any(use.options.get("per") == "area" for use in assessment.computed):
            shared["areas"] = {case: positive_fact(case, row, AREA_COLUMN) for case, row in facts.items()}
        return shared

    def expected(self, assessment: Assessment, shared: Mapping[str, Any]) -> ExpectedTable:
        """Return what a table has to hold, with the unit of its coordinates and the range of its scores."""
        return replace(
            super().expected(assessment, shared),
            unit=assessment.settings.get("unit") or "",
            scores=assessment.settings.get(SCORES) or "",
            image_ids=tuple((each, name) for each, name in shared.get(IMAGE_IDS, ())),
            category_ids=tuple((each, name) for each, name in shared.get(CATEGORY_IDS, ())),
        )

    def score(
        self,
        assessment: Assessment,
        case: str,
        reference: Objects,
        prediction: Objects | None,
        *,
        algorithm: str = "",
        parts: bool = False,
    ) -> ScoredCase:
        """Match the objects of one case."""
        from evaluation.scoring.objects import score_objects
        from evaluation.scoring.rows import ScoredCase

        scores = score_objects(assessment, case, reference, prediction, algorithm=algorithm)
        return ScoredCase(scores.rows, pieces=None if prediction is None else scores.pieces, lacking=scores.lacking)

    def recompute(self, metric: MetricUse, evidence: CaseEvidence, multiplicities: FloatArray) -> Values:
        """From the hits of each case."""
        from evaluation.scoring.detection_evidence import recompute_objects

        return recompute_objects(metric, evidence, multiplicities)

    def classes_of(self, table: ReferenceTable, assessment: Assessment, case: str) -> dict[str, int]:
        """Objects of each class; all are of the one class where the table names none."""
        assert isinstance(table, ObjectReferences)
        names = [str(label) for region in assessment.regions for label in region.labels]
        counts, objects = dict.fromkeys(names, 0), table.table.of(case)
        for name in [""] * len(objects) if objects.classes is None else objects.classes:
            class_name = str(name or (names[0] if len(names) == 1 else "without a class"))
            counts[class_name] = counts.get(class_name, 0) + 1
        return counts


def _names_of_no_case(words: str, given: Sequence[str], expected: str) -> dict[str, Any]:
    """Return the facts of the question about a table whose names or ids are all of other cases."""
    first = ", ".join(name[:_NAME_SHOWN] for name in given[:_NAMES_SHOWN])
    files = f"{first}, …" if len(given) > _NAMES_SHOWN else first
    return {"total": len(given), "words": words, "files": files, "value": expected}


def _ids_of(references: ObjectReferences, cases: Sequence[str], classes: Sequence[str]) -> dict[str, Any]:
    """Return the ids of the images of all cases and of the categories of the task, with their names.

    Empty if a case has no id. An id is a number, or the name of its image or category. Categories have names as ids unless
    every class has an id, so that absent classes are not revealed. References without images have names as ids, and numbers
    if names are numbers.
    """
    from evaluation.readers.object_tables import numbered

    if not references.table.image_names:
        if not any(case.isdecimal() for case in cases):
            return {}
        return {
            IMAGE_IDS: [list(pair) for pair in numbered(cases)],
            CATEGORY_IDS: [list(pair) for pair in numbered(classes)],
        }
    images = _ids_in_order(references.table.image_names, cases)
    if {name for _, name in images} != set(cases):
        return {}
    categories = _ids_in_order(references.table.category_names, classes)
    if {name for _, name in categories} != set(classes):
        categories = [[name, name] for name in classes]
    return {IMAGE_IDS: images, CATEGORY_IDS: categories}


def _ids_in_order(names: Mapping[Any, str], public: Sequence[str]) -> list[list[Any]]:
    """Return ids with their names in the order of the public names, not in that of the references."""
    position = {name: number for number, name in enumerate(public)}
    pairs = [[each, name] for each, name in names.items() if name in position and _is_id(each, name)]
    return sorted(pairs, key=lambda pair: (position[pair[1]], str(pair[0])))


def _is_id(given: object, name: str) -> bool:
    return given == name or (isinstance(given, int) and not isinstance(given, bool))


def _id_words(expected: ExpectedTable) -> str:
    """Describe the ids of a list of COCO results on the submit page."""
    if not expected.image_ids:
        words = "A list of COCO results needs the name of its image as each `image_id`, or images and categories."
        return f"{words} Numbers as ids are not accepted."

    def some(ids: Sequence[tuple[int | str, str]], what: str) -> str:
        numbers = [f"{each} is {name}" for each, name in ids if each != name]
        if not numbers:
            return f"is the name of the {what}"
        text = joined(numbers[:_IDS_SHOWN])
        return text if len(numbers) <= _IDS_SHOWN else f"{text}, and so on"

    words = f"In a list of COCO results, `image_id` {some(expected.image_ids, 'image')}."
    if len(expected.classes or ()) <= 1 and all(each == name for each, name in expected.category_ids):
        return f"{words} There is one class, so `category_id` can be any number."
    return f"{words} `category_id` {some(expected.category_ids, 'class')}."


def _range_words(scores: str) -> str:
    """Describe the accepted scores."""
    return "any finite number, of which only the order counts" if scores == ANY_SCORE else "a number from 0 to 1"


def _places(kind: str, axes: int) -> tuple[str, ...]:
    """Columns of coordinates."""
    letters = ("x", "y", "z")[:axes]
    return letters if kind == "points" else tuple(f"{a}_{end}" for end in ("min", "max") for a in letters)


def extent_metrics(assessment: Assessment) -> list[str]:
    """Names of the metrics whose hit criterion needs boxes.

    Examples
    --------
    >>> from evaluation.assessment import parse
    >>> by_distance = {"localization_criterion": "loc_center_distance", "localization_threshold": 7.5}
    >>> metrics = [{"id": "fbeta", "options": by_distance}, {"id": "average_precision"}]
    >>> extent_metrics(parse({"problem": "object_detection", "metrics": metrics}))
    ['average_precision']
    """
    return [use.name for use in assessment.computed if use.options.get("localization_criterion") != DISTANCE]


def class_names(table: ObjectTable) -> list[str]:
    """Names of the classes of all objects of a table, ascending; the empty name of an object without a class is none.

    Examples
    --------
    >>> from evaluation.matching import Objects
    >>> from evaluation.readers.object_tables import ObjectTable
    >>> class_names(ObjectTable({"a": Objects(points=[[1, 2], [3, 4]], classes=["node", ""])}, ["a"]))
    ['node']
    """
    return sorted({name for objects in table.objects.values() for name in _classes(objects)} - {""})


def has_unnamed_objects(table: ObjectTable) -> bool:
    """Return whether any object of a table has no class."""
    return any("" in _classes(objects) for objects in table.objects.values())


def _classes(objects: Objects) -> Sequence[str]:
    return [""] * len(objects) if objects.classes is None else [str(name) for name in objects.classes]


def _coordinates(objects: Objects) -> NDArray[Any]:
    """In the order of the columns, ``(n, columns)``."""
    given = objects.points_given if objects.points_given is not None else objects.boxes_given
    assert given is not None
    return given


PROBLEM = ObjectDetection()
