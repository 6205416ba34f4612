"""Landmarks: named points of each case, each at most once, against those of the references."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from evaluation.metrics.options import Option
from evaluation.problems.coordinates import SPACINGS, axes_of, positive_fact
from evaluation.problems.evidence import KindEvidence
from evaluation.problems.landmark_figures import FIGURES
from evaluation.problems.metric_rules import MetricRules
from evaluation.problems.pictures import AnswerView, Pictures
from evaluation.problems.plausibility import Plausibility
from evaluation.problems.samples import ALGORITHMS
from evaluation.problems.tables import (
    ExpectedTable,
    PredictionTable,
    ReferenceTable,
    ReferenceTableError,
    SubmitWords,
    TableProblem,
    TableReferenceRules,
    TableSamples,
    TableScorerFiles,
    TableTexts,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluation.assessment.model import Assessment, MetricUse
    from evaluation.figures.case_sheets import CaseSheets
    from evaluation.metrics.values import FloatArray, Values
    from evaluation.problems.case_answers import CaseAnswers
    from evaluation.problems.shown import Rows
    from evaluation.readers import Issue
    from evaluation.readers.landmark_tables import LandmarkTable, Points
    from evaluation.readers.limits import Limits
    from evaluation.scoring.evidence_blocks import Block, CaseEvidence
    from evaluation.scoring.landmarks import Landmarks
    from evaluation.scoring.rows import Numbers, Pieces, Row, ScoredCase

DIAGONAL: Final = "image_diagonal"
_SHOWN: Final = 12


class LandmarkReferences(ReferenceTable):
    """Landmarks of every case."""

    def __init__(self, table: LandmarkTable) -> None:
        self.table = table
        self.cases = sorted(table.points)
        self.content = f"landmarks of {table.axes} axes"
        self.facts = {"landmarks": table.names, "dimensions": table.axes}


@dataclass
class LandmarkPredictions(PredictionTable):
    """Predicted landmarks of every case."""

    table: LandmarkTable
    absent: frozenset[str]
    strange: Sequence[str]

    @property
    def dropped(self) -> Mapping[str, Sequence[Issue]]:
        """Reasons of the rows that could not be read; their landmarks count as not found."""
        return self.table.dropped

    @property
    def rows(self) -> int:
        """Number of landmarks that were read."""
        return sum(map(len, self.table.points.values()))

    def of(self, case: str) -> Points | None:
        """The points of a case."""
        return self.table.points.get(case)


class LandmarkPictures(Pictures):
    """Pictures of landmark localization."""

    description = "{case} with the landmarks of the prediction"

    def can_be_drawn(self, facts: Mapping[str, Any], *, has_image: bool) -> bool:
        """Points in pixels, on the image of the case; a volume's as a picture's."""
        return has_image and facts.get("axes") in (2, 3)

    def outline_form(self, facts: Mapping[str, Any]) -> tuple[str, tuple[int, ...]]:
        """Coordinates of each point."""
        return "float64", (-1, int(facts.get("axes") or facts["dimensions"]))

    def outline_of(self, value: Any) -> NDArray[Any]:
        """Points, in the order of their names."""
        import numpy as np

        points: Points = value if isinstance(value, dict) else value.points
        return np.array([points[name] for name in sorted(points)], dtype=np.float64).reshape(len(points), -1)

    def draw(
        self,
        facts: Mapping[str, Any],
        image: NDArray[Any] | None,
        prediction: NDArray[Any] | None,
        reference: NDArray[Any] | None,
    ) -> bytes | None:
        """Mark the points on the image."""
        from evaluation.figures.case_sheets import picture_of_places

        return picture_of_places(facts["axes"], image, prediction, reference)

    def sheets(
        self,
        facts: Mapping[str, Any],
        image: NDArray[Any] | None,
        prediction: NDArray[Any] | None,
        reference: Landmarks,
    ) -> CaseSheets | None:
        """The points on the image."""
        from evaluation.figures.case_sheets import sheets_of_places

        return sheets_of_places(facts["axes"], image, prediction, self.outline_of(reference))


class LandmarkAnswerView(AnswerView):
    """Answers to a case of landmark localization, line by line."""

    def numbers_of(self, value: Points, shared: Mapping[str, Any]) -> NDArray[Any]:
        """Coordinates of every landmark of the task, not a number where one lacks."""
        import numpy as np

        axes = len(next(iter(value.values()), (0.0, 0.0)))
        return np.array([value.get(name, (np.nan,) * axes) for name in shared["classes"]], dtype=float).ravel()

    def lines(
        self, assessment: Assessment, shared: Mapping[str, Any], answer: NDArray[Any] | None, reference: Landmarks
    ) -> CaseAnswers:
        """Return the predicted and actual position of each landmark, and their distance."""
        import numpy as np

        from evaluation.problems.case_answers import NOTHING, CaseAnswer, CaseAnswers, number

        names, unit = reference.names, _unit(assessment.settings)
        places = np.full((len(names), len(reference.scale)), np.nan)
        if answer is not None and answer.size == places.size:
            places = answer.reshape(places.shape)

        def words(coordinates: Any) -> str:
            return ", ".join(number(float(each)) for each in coordinates) if np.isfinite(coordinates).all() else NOTHING

        lines = []
        for name, point in zip(names, places, strict=True):
            reference_point = np.array(reference.points.get(name, (np.nan,) * len(reference.scale)), dtype=float)
            distance = float(np.linalg.norm((point - reference_point) * reference.scale))
            lines.append(CaseAnswer(name, words(point), words(reference_point), number(distance, unit)))
        return CaseAnswers.of("Landmark", lines, "Error")


class LandmarkSamples(TableSamples):
    """Samples of landmark localization."""

    kind: LandmarkLocalization

    def worse_rows(self, perfect: Rows) -> dict[str, Rows]:
        """All of them shifted, all somewhere else, and only the first."""
        from evaluation.problems.shown import Rows, draws

        axes = perfect.columns[1:]
        drawn = draws().normal(0, 20, (max(len(perfect.rows), 1), len(axes)))
        noise = perfect
        for index, axis in enumerate(axes):
            noise = noise.changed([axis], partial(_moved, drawn[:, index].tolist()))
        return {
            "shifted": perfect.changed(axes, lambda value, _: value + 5.0),
            "noise": noise,
            "the first only": Rows(perfect.columns, perfect.rows[:1]),
        }

    def write_challenge(
        self, folder: Path, *, cases: int = 6, seed: int = 1, algorithms: Sequence[str] = ALGORITHMS
    ) -> dict[str, Any]:
        """Three landmarks a case; one algorithm is off by a millimetre or two, one by more."""
        from evaluation.problems.examples import write_landmarks

        write_landmarks(folder, cases=cases, seed=seed, algorithms=algorithms)
        return {
            "schema": 1,
            "problem": self.kind.id,
            "metrics": [
                {"id": "radial_error"},
                {"id": "success_detection_rate", "options": {"radius": 2}},
                {"id": "identification_rate"},
            ],
            "settings": {"unit": "mm", "penalty": 40},
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
        """Write every registered landmark."""
        from evaluation.problems.registered_examples import write_landmarks

        columns = self.kind.references.columns_by_table(assessment)[self.kind.table_files[0]]
        write_landmarks(assessment, folder, columns=columns, cases=cases, seed=seed, algorithms=algorithms)


class LandmarkScorerFiles(TableScorerFiles):
    """Files of landmark localization for scoring images."""

    stems_and_kinds = (("landmarks", "csv"),)

    def reference_rows(self, table: ReferenceTable, case: str, shared: Mapping[str, Any]) -> Rows:
        """The landmarks of the case, in the unit of the coordinates."""
        assert isinstance(table, LandmarkReferences)
        return _rows_of(table.table.points.get(case, {}), table.table.axes)

    def prediction_rows(self, prediction: Points, shared: Mapping[str, Any]) -> Rows:
        """The landmarks of the case."""
        return _rows_of(prediction, len(next(iter(prediction.values()), ())))


class LandmarkTexts(TableTexts):
    """Texts about landmark localization on pages."""

    row_noun = "a row for each landmark"
    decoy_columns = ("landmarks_sha256", "landmarks")

    def missing_cases(self, assessment: Assessment) -> str:
        """Return how a case without landmarks counts."""
        penalty = assessment.settings["penalty"]
        unit = _unit(assessment.settings)
        counted = "the diagonal of its image" if penalty == DIAGONAL else f"an error of {penalty:g} {unit}"
        return f"counts as {counted} for every landmark, and every landmark as not found"

    def submit_page(self, expected: ExpectedTable, cases: int, *, incomplete_cost: str = "") -> SubmitWords:
        """Return the description of the table for the submit page."""
        before = (
            f"One table `landmarks.csv` with a row for each landmark of the {cases} cases, packed into an archive or dropped as "
            "it is. Coordinates are in the unit and space that the task names; a landmark stands at most once for each case."
        )
        after = [
            "A landmark without a row counts as lost: its penalty takes the place of its error, and it is not found."
        ]
        if incomplete_cost:
            after.append(f"A case without a row that can be read {incomplete_cost}.")
        return SubmitWords(
            (before,),
            expected.columns,
            f"{expected.classes[0] if expected.classes else ''},…",
            tuple(after),
            classes="Landmarks",
        )


class LandmarkPlausibility(Plausibility):
    """Plausibility of results of landmark localization."""

    def is_possible(
        self, assessment: Assessment, case: str, reference: Landmarks, pieces: Mapping[tuple[str, str], Numbers]
    ) -> bool:
        """Return whether this number of landmarks of the reference can be found."""
        from evaluation.scoring.landmarks import are_possible

        return are_possible(assessment, reference, pieces)

    def summary_of(self, prediction: Points) -> dict[str, Any]:
        """Return the digest of the points, independent of their order, and their number."""
        from evaluation.canonical import sha256

        return {
            "digest": sha256({name: list(point) for name, point in sorted(prediction.items())}),
            "labelled": len(prediction),
        }


class LandmarkEvidence(KindEvidence):
    """Evidence of values of the whole data set for landmark localization."""

    counts_unanswered = True
    figures = FIGURES

    def assemble(
        self, assessment: Assessment, algorithm: str, pieces: Mapping[str, Pieces | None], shared: Mapping[str, Any]
    ) -> tuple[list[Row], list[Block]]:
        """Rates over all landmarks; one that is not predicted is not found."""
        from evaluation.scoring.landmarks import finish_landmarks

        return finish_landmarks(assessment, algorithm, pieces)

    def regions_of(self, assessment: Assessment, use: MetricUse, shared: Mapping[str, Any]) -> list[str]:
        """Return the regions of the assessment, else every landmark."""
        from evaluation.scoring.landmarks import groups

        return list(groups(assessment, shared["classes"]))

    def unanswered_cases(self, evidence: CaseEvidence) -> int:
        """Cases without a prediction."""
        from evaluation.scoring.landmarks import unanswered

        return unanswered(evidence)


class LandmarkMetrics(MetricRules):
    """Metrics of landmark localization."""

    def complete(self, metric: MetricUse, settings: Mapping[str, Any]) -> MetricUse:
        """Errors of coordinates in pixels are in pixels, unless spacings make them mm."""
        return replace(metric, unit="px") if metric.unit == "mm" and _unit(settings) == "px" else metric


class LandmarkReferenceRules(TableReferenceRules):
    """References of landmark localization."""

    kind: LandmarkLocalization

    def columns_by_table(self, assessment: Assessment) -> Mapping[str, tuple[str, ...]]:
        """Case, landmark and coordinates."""
        from evaluation.readers.landmark_tables import AXES, CASE, LANDMARK

        # Places in mm are mostly those of volumes.
        axes = axes_of(assessment.settings) if assessment.settings.get("unit") == "px" else len(AXES)
        return {self.kind.table_files[0]: (CASE, LANDMARK, *AXES[:axes])}


class LandmarkLocalization(TableProblem):
    """Named points, each expected once a case."""

    id = "landmarks"
    category = "Lmk"
    task_categories = ("localization", "detection")
    table_files = ("landmarks.csv",)
    settings = (
        Option("unit", "enum", "mm", "Unit of the coordinates.", choices=("mm", "px")),
        Option(
            "spacing",
            "enum",
            "none",
            "Whether coordinates in px become mm by the columns spacing_x, spacing_y (and spacing_z) of cases.csv.",
            choices=("none", "cases"),
        ),
        Option(
            "penalty",
            "number|enum",
            None,
            "what a landmark counts as that is not predicted, in the unit of the error; image_diagonal takes it from the "
            "column of that name in cases.csv. There is no safe default: without the image it is unknown how far wrong a lost "
            "point is",
            choices=(DIAGONAL,),
            exclusive_minimum=0,
            required=True,
        ),
    )
    pictures = LandmarkPictures()
    answer_view = LandmarkAnswerView()
    samples = LandmarkSamples()
    scorer_files = LandmarkScorerFiles()
    texts = LandmarkTexts()
    plausibility = LandmarkPlausibility()
    evidence = LandmarkEvidence()
    metrics = LandmarkMetrics()
    references = LandmarkReferenceRules()

    # The assessment ---------------------------------------------------------------------------------------------------

    def complete_settings(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Spacings are for coordinates in pixels."""
        from evaluation.assessment.errors import AssessmentError

        if settings["spacing"] == "cases" and settings["unit"] != "px":
            raise AssessmentError("settings.spacing", "cases", '"none": coordinates are in mm already')
        return settings

    # Tables -----------------------------------------------------------------------------------------------------------

    def read_references(self, path: Path) -> LandmarkReferences:
        """Read ``landmarks.csv``."""
        from evaluation.readers import ReadError
        from evaluation.readers.landmark_tables import read_landmarks

        table = read_landmarks(path)
        if not table.points:
            raise ReadError("table", path.name, "no landmark at all", "a row a landmark and case")
        return LandmarkReferences(table)

    def check_references(self, table: ReferenceTable, assessment: Assessment, cases: Sequence[str]) -> None:
        """Refuse a case without any landmark, and a region that names none of those there are."""
        super().check_references(table, assessment, cases)
        assert isinstance(table, LandmarkReferences)
        landmark_names = set(table.table.names)
        for region in assessment.regions:
            if strange := [str(label) for label in region.labels if str(label) not in landmark_names]:
                message = (
                    f"The region {region.name} of the assessment names the landmark {strange[0]!r}, which no case has; the "
                    f"references have {', '.join(table.table.names[:_SHOWN])}."
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
    ) -> LandmarkPredictions:
        """Read ``landmarks.csv``; a row that cannot be read costs its landmark."""
        from evaluation.readers.landmark_tables import read_landmarks
        from evaluation.readers.limits import DEFAULT

        table = read_landmarks(path, by_row=True, limits=limits or DEFAULT)
        if isinstance(references, LandmarkReferences):
            self._check_axes(table, path, references.table.axes)
        expected, named = set(cases), set(table.points)
        strange = [case for case in table.points if case not in expected]
        return LandmarkPredictions(table, frozenset(expected - named), strange)

    def check_predictions(self, table: PredictionTable, path: Path, expected: ExpectedTable) -> None:
        """Refuse a table without any point, with points of another number of axes, and one that names no landmark of the task."""
        from evaluation.readers import ReadError

        assert isinstance(table, LandmarkPredictions)
        if not table.table.points:
            if expected.may_be_empty:
                return
            raise ReadError("table", path.name, "no landmark in any case", "a row a landmark and case")
        self._check_axes(table.table, path, expected.kind[1])
        names = table.table.names
        if names and expected.classes and not set(names) & set(expected.classes):
            expected_names = ", ".join(expected.classes[:_SHOWN])
            raise ReadError(
                "table", path.name, f"no landmark of the task, but {', '.join(names[:3])[:120]}", expected_names
            )

    @staticmethod
    def _check_axes(table: LandmarkTable, path: Path, axes: int) -> None:
        from evaluation.readers import ReadError
        from evaluation.readers.landmark_tables import AXES

        if axes and table.axes != axes:
            given, wanted = ", ".join(AXES[: table.axes]), ", ".join(AXES[:axes])
            raise ReadError("table", path.name, f"points with {given}", f"the columns case, landmark, {wanted}")

    def most_rows(self, cases: int, most: int) -> int:
        """Any number of landmarks a case."""
        return most

    def columns(self, expected: ExpectedTable) -> tuple[str, ...]:
        """Case, landmark and coordinates."""
        from evaluation.readers.landmark_tables import AXES, CASE, LANDMARK

        return (CASE, LANDMARK, *AXES[: expected.kind[1] or 2])

    def with_facts(self, expected: ExpectedTable, facts: Mapping[str, Any]) -> ExpectedTable:
        """With the number of axes."""
        return replace(expected, kind=("points", int(facts.get("axes") or facts.get("dimensions") or 0)))

    def facts_of(self, table: ReferenceTable, assessment: Assessment) -> dict[str, Any]:
        """Coordinates in pixels can be drawn on an image, so that they are called axes of it."""
        facts = dict(table.facts)
        return facts | ({"axes": facts["dimensions"]} if assessment.settings["unit"] == "px" else {})

    # What all cases have in common ------------------------------------------------------------------------------------

    def shared(
        self,
        table: ReferenceTable,
        assessment: Assessment,
        cases: Sequence[str],
        patients: Mapping[str, str],
        named: Sequence[str] = (),
    ) -> dict[str, Any]:
        """Names of the landmarks, and the patient of each case."""
        assert isinstance(table, LandmarkReferences)
        return {"classes": table.table.names, "patients": dict(patients)}

    def shared_facts(
        self, table: ReferenceTable, assessment: Assessment, facts: Mapping[str, Mapping[str, Any]]
    ) -> dict[str, Any]:
        """Spacing and diagonal of the image of each case, as far as the settings ask for them."""
        assert isinstance(table, LandmarkReferences)
        image_facts: dict[str, Any] = {}
        if assessment.settings["penalty"] == DIAGONAL:
            image_facts["diagonals"] = {
                case: positive_fact(case, case_facts, DIAGONAL) for case, case_facts in facts.items()
            }
        columns = SPACINGS[: table.table.axes]
        if assessment.settings["spacing"] == "cases":
            image_facts["spacings"] = {
                case: [positive_fact(case, case_facts, column) for column in columns]
                for case, case_facts in facts.items()
            }
        return image_facts

    def classes_of(self, table: ReferenceTable, assessment: Assessment, case: str) -> dict[str, int]:
        """Return the landmarks that are present in the case."""
        assert isinstance(table, LandmarkReferences)
        points = table.table.points.get(case, {})
        return {name: int(name in points) for name in table.table.names}

    def prepare(self, table: ReferenceTable, case: str, shared: Mapping[str, Any]) -> Landmarks:
        """The landmarks of a case."""
        from evaluation.scoring.landmarks import Landmarks

        assert isinstance(table, LandmarkReferences)
        scale = shared.get("spacings", {}).get(case) or (1.0,) * table.table.axes
        return Landmarks(
            table.table.points.get(case, {}),
            tuple(shared["classes"]),
            tuple(float(size) for size in scale),
            shared.get("diagonals", {}).get(case),
        )

    # Scoring ----------------------------------------------------------------------------------------------------------

    def score(
        self,
        assessment: Assessment,
        case: str,
        reference: Landmarks,
        prediction: Points | None,
        *,
        algorithm: str = "",
        parts: bool = False,
    ) -> ScoredCase:
        """Distances of one case."""
        from evaluation.scoring.landmarks import score_landmarks

        return score_landmarks(assessment, case, reference, prediction, algorithm=algorithm)

    def recompute(self, metric: MetricUse, evidence: CaseEvidence, multiplicities: FloatArray) -> Values:
        """From the landmarks found in each case."""
        from evaluation.scoring.landmarks import rate

        return rate(evidence.block, multiplicities)


def _unit(settings: Mapping[str, Any]) -> str:
    """Unit of distances."""
    return "px" if settings["unit"] == "px" and settings["spacing"] == "none" else "mm"


def _moved(steps: Sequence[float], value: float, row: int) -> float:
    return value + steps[row]


def _rows_of(points: Points, axes: int) -> Rows:
    from evaluation.problems.shown import Rows
    from evaluation.readers.landmark_tables import AXES, LANDMARK

    rows = [(name, *map(float, point)) for name, point in sorted(points.items())]
    return Rows.of((LANDMARK, *AXES[:axes]), rows)


PROBLEM = LandmarkLocalization()
