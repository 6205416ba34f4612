"""Registration: displacement fields from the fixed to the moving image of each case."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from evaluation.metrics.options import Option
from evaluation.problems.cautions import of_fields, reversed_field
from evaluation.problems.files import FileEvidence, FilePerformance, FileTexts, FileWords
from evaluation.problems.grids import GEOMETRY, grid_words, registered_rule, ruled
from evaluation.problems.metric_rules import MetricRules
from evaluation.problems.pictures import Pictures
from evaluation.problems.plausibility import ValuePlausibility
from evaluation.problems.reference_parts import ENDING, PartsProblem
from evaluation.problems.region_rules import RegionRules
from evaluation.problems.registration_figures import FIGURES
from evaluation.problems.samples import ALGORITHMS, Samples

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluation.assessment.model import Assessment, MetricUse
    from evaluation.figures.case_sheets import CaseSheets
    from evaluation.problems.base import Problem
    from evaluation.readers.instance_tables import Instances
    from evaluation.readers.limits import Limits
    from evaluation.scoring.evidence_blocks import Block
    from evaluation.scoring.registration import PreparedRegistration, RegistrationReference
    from evaluation.scoring.rows import Pieces, Row, ScoredCase

PLACES: Final = ("voxel", "mm_lps", "mm_ras")
_FIELDS = {
    "voxel": "Displacements are in voxels along the axes of the fixed image, as a scalar NIfTI image X × Y × Z × 3 or three "
    "components in .mha or .nrrd.",
    "mm_lps": "Displacements are in mm to the left, back and up, as ITK and ANTs write vector images (NIfTI intent 1007).",
    "mm_ras": "Displacements are in mm to the right, front and up, as a vector image (NIfTI intent 1006).",
}


class RegistrationPictures(Pictures):
    """Pictures of registration."""

    description = "The middle slice of {case} with a grid as the predicted field bends it"
    caption = "Lines run every few voxels of the middle slice of the fixed image; where they cross, the field folds."
    outlines = ("prediction",)

    def can_be_drawn(self, facts: Mapping[str, Any], *, has_image: bool) -> bool:
        """Always: a bent grid needs no image."""
        return "shape" in facts

    def outline_form(self, facts: Mapping[str, Any]) -> tuple[str, tuple[int, ...]]:
        """The displacement of every voxel."""
        return "float32", (*facts["shape"], len(facts["shape"]))

    def outline_of(self, value: Any) -> NDArray[Any]:
        """The field; a reference has none."""
        import numpy as np

        if isinstance(value, np.ndarray):
            return value
        return np.zeros((*value.geometry.shape, len(value.geometry.shape)), dtype=np.float32)

    def draw(
        self,
        facts: Mapping[str, Any],
        image: NDArray[Any] | None,
        prediction: NDArray[Any] | None,
        reference: NDArray[Any] | None,
    ) -> bytes | None:
        """A grid as the field bends it; the reference has nothing to be drawn."""
        from evaluation.figures.image_pairs import picture_of_grid

        if prediction is None:
            return None
        plane = prediction[:, :, prediction.shape[2] // 2] if prediction.ndim == 4 else prediction
        return picture_of_grid(plane[..., :2], upwards=len(facts["shape"]) == 3)

    def sheets(
        self,
        facts: Mapping[str, Any],
        image: NDArray[Any] | None,
        prediction: NDArray[Any] | None,
        reference: RegistrationReference,
    ) -> CaseSheets | None:
        """Draw the grid on all slices, and the moved labels next to those of the fixed image."""
        from evaluation.figures.pair_sheets import sheets_of_field
        from evaluation.metrics.deformations import warp_labels
        from evaluation.readers import Geometry

        pulled = None
        if prediction is not None and reference.moving is not None:
            pulled = warp_labels(reference.moving.labels, prediction, reference.to_moving)
        fixed = None if reference.fixed is None else reference.fixed.labels
        return sheets_of_field(Geometry.of(facts), image, prediction, pulled, fixed)


class RegistrationSamples(Samples):
    """Samples of registration."""

    kind: Registration

    def write_challenge(
        self, folder: Path, *, cases: int = 6, seed: int = 1, algorithms: Sequence[str] = ALGORITHMS
    ) -> dict[str, Any]:
        """Moved blocks with their landmarks; one algorithm finds most of the way, one half of it."""
        from evaluation.problems.examples import write_fields

        write_fields(folder, cases=cases, seed=seed, algorithms=algorithms)
        return {
            "schema": 1,
            "problem": self.kind.id,
            "regions": [{"name": "block", "labels": [1]}],
            "metrics": [{"id": "tre"}, {"id": "dsc"}, {"id": "sdlogj"}, {"id": "folding_fraction"}],
            "settings": {"field": "voxel"},
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
        """Write every registered label, and fields in the registered convention."""
        from evaluation.problems.registered_examples import write_fields

        write_fields(assessment, folder, cases=cases, seed=seed, algorithms=algorithms)


class RegistrationTexts(FileTexts):
    """Texts about registration on pages."""

    kind: Registration

    file_noun = "displacement field"
    decoy_columns = ("field_sha256", "moved_voxels")

    def submit_page(self, assessment: Assessment, cases: int) -> FileWords:
        """Return the description of the fields for the submit page."""
        first, *others = self.kind.suffixes
        endings = ", ".join(f"`{ending}`" for ending in others[:-1]) + f" or `{others[-1]}`"
        before = (
            f"One displacement field for each of the {cases} cases, named `<case>{first}` (or ending in {endings}), on the grid "
            "of the fixed image: one vector a voxel, from the fixed to the moving image, so that x + u(x) is the place in the "
            f"moving image. {_FIELDS[assessment.settings['field']]} Files can be in one folder of the archive."
        )
        return FileWords(before=(before, grid_words(assessment)), ending=first, columns=("Voxels",))

    def fact_cells(self, facts: Mapping[str, Any]) -> tuple[str, ...]:
        """Shape."""
        return (" × ".join(str(length) for length in facts["shape"]),)


class RegistrationPlausibility(ValuePlausibility):
    """Plausibility of results of registration."""

    metric_rules = (of_fields,)
    result_rules = (reversed_field,)

    def summary_of(self, prediction: Path) -> dict[str, Any]:
        """Digest of the file."""
        import hashlib

        with prediction.open("rb") as file:
            return {"digest": hashlib.file_digest(file, "sha256").hexdigest(), "labelled": 0}

    def refusal(self, assessment: Assessment) -> str:
        """Values of the whole data set are not put together from cases."""
        pooled = [use.name for use in assessment.computed if use.level == "dataset"]
        return f"Registrations are scored case by case; leave out {', '.join(pooled)}." if pooled else ""


class RegistrationEvidence(FileEvidence):
    """Evidence of values of the whole data set for registration."""

    is_pooled = False
    figures = FIGURES

    def parts_by_metric(self, assessment: Assessment) -> dict[str, str]:
        """None: every value is one of a case."""
        return {}

    def assemble(
        self, assessment: Assessment, algorithm: str, pieces: Mapping[str, Pieces | None], shared: Mapping[str, Any]
    ) -> tuple[list[Row], list[Block]]:
        """Nothing: every value is one of a case."""
        return [], []

    def regions_of(self, assessment: Assessment, use: MetricUse, shared: Mapping[str, Any]) -> list[str]:
        """Return the regions of the assessment for labels, and one value for other metrics."""
        from evaluation.scoring.registration import WHOLE, of_labels

        return [region.name for region in assessment.regions] if of_labels(use) else [WHOLE]


class RegistrationMetrics(MetricRules):
    """Metrics of registration."""

    has_image_diagonal = True
    accepted_kinds = ("semantic_segmentation",)


class RegistrationPerformance(FilePerformance):
    """Preparation and shortcuts of scoring for registration."""

    def cost_of(self, facts: Mapping[str, Any]) -> int:
        """Voxels."""
        return math.prod(facts["shape"])


class PairProblem(PartsProblem):
    """A kind whose references are pairs of a fixed and a moving image, one folder per case."""

    evidence = RegistrationEvidence()

    def ending_of(self, name: str) -> str:
        """Also that of references, which are kept as one archive."""
        return ENDING if name.endswith(ENDING) else super().ending_of(name)

    def case_of(self, name: str) -> str:
        """By the endings of fields only."""
        return "" if name.endswith(ENDING) else super().case_of(name)

    def place_of(self, names: Sequence[str]) -> tuple[str, str]:
        """A folder a case with labels, landmarks, masks and grids."""
        from evaluation.readers.registration_cases import part_of

        if len(names) < 2 or names[-2].startswith(".") or not part_of(names[-1]):
            return "", ""
        return names[-2], f"{names[-2]}/{names[-1]}"

    def find_references(self, folder: Path) -> dict[str, Path]:
        """The folder of each case."""
        from evaluation.readers import ReadError
        from evaluation.readers.registration_cases import part_of

        if not folder.is_dir():
            raise ReadError("not_found", folder.name or str(folder), "folder not found")
        folders = [path for path in sorted(folder.iterdir()) if path.is_dir() and not path.name.startswith(".")]
        return {path.name: path for path in folders if any(part_of(each.name) for each in path.iterdir())}


class Registration(PairProblem):
    """A field maps every voxel x of the fixed image to x + u(x) in the moving one."""

    id = "registration"
    category = "Rgn"
    task_categories = ("registration",)
    regions = RegionRules(have_numbered_labels=True)
    settings = (
        Option(
            "submission",
            "enum",
            "field",
            "What is submitted for each case: a displacement field, or the landmarks of the fixed image moved into the moving "
            "image, of which only tre is computed.",
            choices=("field", "landmarks"),
            stands_where_set=True,
        ),
        Option(
            "field",
            "enum",
            None,
            "unit and direction of displacements: voxels of the fixed grid along its axes, or mm as ITK (mm_lps) or NIfTI "
            "(mm_ras) has them; never guessed",
            choices=PLACES,
            required=True,
        ),
        Option(
            "landmarks",
            "enum",
            None,
            "Of the coordinates of landmarks: those of the field unless set (mm_ras for mm).",
            choices=PLACES,
        ),
        GEOMETRY,
    )
    pictures = RegistrationPictures()
    samples = RegistrationSamples()
    texts = RegistrationTexts()
    plausibility = RegistrationPlausibility()
    metrics = RegistrationMetrics()
    performance = RegistrationPerformance()

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Formats that can contain one vector per voxel."""
        from evaluation.readers.fields import SUFFIXES

        return SUFFIXES

    # The assessment ---------------------------------------------------------------------------------------------------

    def variant(self, settings: object) -> Problem:
        """Return the kind for submitted landmarks, which has no fields."""
        from collections.abc import Mapping

        from evaluation.problems.registry import get

        are_landmarks = isinstance(settings, Mapping) and settings.get("submission") == "landmarks"
        return get("landmark_registration") if are_landmarks else self

    def complete_settings(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Landmarks are in voxels where displacements are, else in mm to the right and front."""
        if settings["landmarks"] is None:
            settings["landmarks"] = "voxel" if settings["field"] == "voxel" else "mm_ras"
        return settings

    def check(self, assessment: Assessment) -> None:
        """Labels are compared region by region."""
        from evaluation.assessment.checks import check_tolerances
        from evaluation.assessment.errors import AssessmentError
        from evaluation.scoring.registration import of_labels

        check_tolerances(assessment)
        compared = [use.name for use in assessment.computed if of_labels(use)]
        if compared and not assessment.regions:
            raise AssessmentError("regions", [], f"the labels that {', '.join(compared)} compare")
        if background := [use.name for use in assessment.computed if use.options.get("include_background")]:
            field_path = "metrics.options.include_background"
            raise AssessmentError(
                field_path, True, f"false for {background[0]}: pulled labels have no background of their own"
            )

    # Files ------------------------------------------------------------------------------------------------------------

    def read_parts(self, assessment: Assessment, parts: Mapping[str, Path]) -> RegistrationReference:
        """Read what the metrics need of a case."""
        from evaluation.problems.registration_references import read_registration

        return read_registration(assessment, parts)

    def expected(self, assessment: Assessment) -> Mapping[str, Any]:
        """Return the meaning of the numbers of a field, and the rule for grids where one is set."""
        return {"field": assessment.settings["field"]} | registered_rule(assessment)

    def read_prediction(
        self, path: Path, facts: Mapping[str, Any], expected: Mapping[str, Any], *, limits: Limits | None = None
    ) -> NDArray[Any]:
        """Read a field on the fixed grid."""
        from evaluation.readers import Geometry
        from evaluation.readers.limits import DEFAULT
        from evaluation.scoring.registration import read_predicted_field

        grid = ruled(Geometry.of(facts), expected)
        return read_predicted_field(path, grid, convention=expected["field"], limits=limits or DEFAULT)

    def facts_of(self, content: RegistrationReference) -> dict[str, Any]:
        """The grid of the fixed image."""
        return content.geometry.document

    def byte_limit(self, facts: Mapping[str, Any]) -> int:
        """Eight bytes a component, and room for a header."""
        return 8 * self.performance.cost_of(facts) * len(facts["shape"]) + 4 * 1024**2

    def prepare(
        self, assessment: Assessment, content: RegistrationReference, instances: Instances | None = None
    ) -> PreparedRegistration:
        """Cut out the regions."""
        from dataclasses import replace

        from evaluation.scoring.registration import prepare_registration

        by_rule = replace(content, geometry=ruled(content.geometry, assessment.settings))
        return prepare_registration(assessment.regions, by_rule)

    # Scoring ----------------------------------------------------------------------------------------------------------

    def score(
        self,
        assessment: Assessment,
        case: str,
        reference: PreparedRegistration,
        prediction: Path | NDArray[Any] | None,
        *,
        algorithm: str = "",
        parts: bool = False,
    ) -> ScoredCase:
        """Measure one field."""
        from evaluation.scoring.registration import score_registration

        convention = assessment.settings["field"]
        return score_registration(assessment, case, reference, prediction, convention=convention, algorithm=algorithm)


PROBLEM = Registration()
