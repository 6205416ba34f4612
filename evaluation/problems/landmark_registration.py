"""Registration of which landmarks are submitted: those of the fixed image, moved into the moving image."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evaluation.metrics.options import Option
from evaluation.problems.files import FilePerformance, FileTexts, FileWords
from evaluation.problems.metric_rules import MetricRules
from evaluation.problems.plausibility import Plausibility
from evaluation.problems.region_rules import RegionRules
from evaluation.problems.registration import PLACES, PairProblem
from evaluation.problems.samples import ALGORITHMS, Samples

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from evaluation.assessment.model import Assessment
    from evaluation.problems.opened import Opened, References
    from evaluation.readers.instance_tables import Instances
    from evaluation.readers.landmark_tables import Points
    from evaluation.readers.limits import Limits
    from evaluation.scoring.moved_landmarks import LandmarkPairs
    from evaluation.scoring.rows import ScoredCase

LANDMARKS_FILE: Final = "landmarks.csv"
_COORDINATES: Final = {
    "voxel": "Coordinates are voxels of the moving image along its array axes.",
    "mm_lps": "Coordinates are in mm to the left, back and up, as in ITK.",
    "mm_ras": "Coordinates are in mm to the right, front and up, as in NIfTI.",
}


class MovedLandmarkSamples(Samples):
    """Samples of registration with landmarks."""

    def write_challenge(
        self, folder: Path, *, cases: int = 6, seed: int = 1, algorithms: Sequence[str] = ALGORITHMS
    ) -> dict[str, Any]:
        """Write moved blocks with their landmarks; one algorithm moves them most of the way, one half of it."""
        from evaluation.problems.examples import write_moved_landmarks

        write_moved_landmarks(folder, cases=cases, seed=seed, algorithms=algorithms)
        return {
            "schema": 1,
            "problem": "registration",
            "metrics": [{"id": "tre"}],
            "settings": {"submission": "landmarks", "landmarks": "voxel"},
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
        """Write moved blobs with their landmarks, in the registered convention."""
        from evaluation.problems.registered_examples import write_fields

        write_fields(assessment, folder, cases=cases, seed=seed, algorithms=algorithms)


class MovedLandmarkTexts(FileTexts):
    """Texts about registration with landmarks on pages."""

    file_noun = "landmark table"
    decoy_columns = ("landmarks_sha256", "landmarks")

    def submit_page(self, assessment: Assessment, cases: int) -> FileWords:
        """Return the description of the tables for the submit page."""
        before = (
            f"One table `<case>.csv` for each of the {cases} cases, with the columns `landmark,x,y` and `z` for volumes. "
            "Each row is a landmark of the fixed image at the position to which your method moves it in the moving image. "
            f"{_COORDINATES[assessment.settings['landmarks']]} Every landmark needs one row."
        )
        joint = f"A single table `{LANDMARKS_FILE}` for all cases, with `case` as the first column, is also accepted."
        return FileWords(before=(before, joint), ending=".csv", columns=("Landmarks",))

    def fact_cells(self, facts: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the number of landmarks."""
        return (str(len(facts["landmarks"])),)


class MovedLandmarkPlausibility(Plausibility):
    """Plausibility of results of registration with landmarks."""

    def summary_of(self, prediction: Path | Points) -> dict[str, Any]:
        """Return the digest of the points, independent of their order, and their number."""
        from evaluation.canonical import sha256
        from evaluation.readers import ReadError
        from evaluation.readers.landmark_tables import read_points

        try:
            points = prediction if isinstance(prediction, dict) else read_points(prediction)[0]
        except ReadError:
            return {}
        return {"digest": sha256({name: list(at) for name, at in sorted(points.items())}), "labelled": len(points)}


class MovedLandmarkPerformance(FilePerformance):
    """Preparation and shortcuts of scoring for registration with landmarks."""

    def cost_of(self, facts: Mapping[str, Any]) -> int:
        """Return the number of landmarks, each of which costs about as much as a thousand voxels."""
        return 1000 * (1 + len(facts["landmarks"]))


class LandmarkRegistration(PairProblem):
    """Registration whose submissions are the landmarks of the fixed image at their positions in the moving image."""

    id = "landmark_registration"
    category = "RgnL"
    regions = RegionRules(are_allowed=False)
    settings = (
        Option("submission", "enum", "landmarks", "What is submitted for each case.", choices=("landmarks",)),
        Option(
            "landmarks",
            "enum",
            None,
            "coordinates of landmarks in references and predictions: voxels along the array axes, or mm to the left and back "
            "(mm_lps) or to the right and front (mm_ras); never guessed",
            choices=PLACES,
            required=True,
        ),
    )
    samples = MovedLandmarkSamples()
    texts = MovedLandmarkTexts()
    plausibility = MovedLandmarkPlausibility()
    metrics = MetricRules(has_image_diagonal=True)
    performance = MovedLandmarkPerformance()
    joint_table = LANDMARKS_FILE

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Tables."""
        return (".csv",)

    # Files ------------------------------------------------------------------------------------------------------------

    def read_parts(self, assessment: Assessment, parts: Mapping[str, Path]) -> LandmarkPairs:
        """Read the landmarks of both images and their grids."""
        from evaluation.problems.registration_references import read_landmark_pairs

        return read_landmark_pairs(assessment, parts)

    def expected(self, assessment: Assessment) -> Mapping[str, Any]:
        """Return nothing beyond the facts of the cases."""
        return {}

    def read_prediction(
        self, path: Path, facts: Mapping[str, Any], expected: Mapping[str, Any], *, limits: Limits | None = None
    ) -> Points:
        """Read the moved landmarks of a case, which must be complete."""
        from evaluation.readers.landmark_tables import read_points
        from evaluation.readers.limits import DEFAULT
        from evaluation.scoring.moved_landmarks import check_points

        points, axes = read_points(path, limits=limits or DEFAULT)
        check_points(path.name, points, axes, facts["landmarks"], int(facts["axes"]))
        return points

    def facts_of(self, content: LandmarkPairs) -> dict[str, Any]:
        """Return the names of the landmarks, which participants receive with the fixed image, and the number of axes."""
        return {"landmarks": list(content.names), "axes": len(content.geometry.shape)}

    def byte_limit(self, facts: Mapping[str, Any]) -> int:
        """Return the size of a table with long rows, and room for other columns."""
        return 1024 * len(facts["landmarks"]) + 1024**2

    def prepare(
        self, assessment: Assessment, content: LandmarkPairs, instances: Instances | None = None
    ) -> LandmarkPairs:
        """Return the landmarks as they are."""
        return content

    # Folders of the command line --------------------------------------------------------------------------------------

    def open_predictions(self, assessment: Assessment, folder: Path, references: References) -> Opened:
        """Read the table of all cases where there is one, else find the table of each case."""
        from evaluation.problems.opened import Opened as Found
        from evaluation.readers import ReadError
        from evaluation.readers.landmark_tables import read_landmarks

        table = folder / self.joint_table
        if not table.is_file():
            return super().open_predictions(assessment, folder, references)
        try:
            landmarks = read_landmarks(table, by_row=True)
        except ReadError as error:
            return Found(reasons={"": error.issue})
        points = landmarks.points
        cases = set(references.cases)
        reasons = {case: issues[0] for case, issues in landmarks.dropped.items() if case in cases and issues}
        predictions = {case: points[case] for case in references.cases if points.get(case) and case not in reasons}
        return Found(predictions, reasons, [case for case in points if case not in cases])

    # Scoring ----------------------------------------------------------------------------------------------------------

    def score(
        self,
        assessment: Assessment,
        case: str,
        reference: LandmarkPairs,
        prediction: Path | Points | None,
        *,
        algorithm: str = "",
        parts: bool = False,
    ) -> ScoredCase:
        """Measure the moved landmarks of a case."""
        from evaluation.scoring.moved_landmarks import score_moved_landmarks

        return score_moved_landmarks(assessment, case, reference, prediction, algorithm=algorithm)


PROBLEM = LandmarkRegistration()
