"""Kinds of problem whose references and predictions are a label image a case."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluation.problems.base import Opened, Problem, References

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from evaluation.assessment import Assessment
    from evaluation.readers import Issue, LabelImage
    from evaluation.readers.instance_tables import InstanceRules, Instances, InstanceTable


class ImagePrediction(NamedTuple):
    """The label image of a case and, where there is one, the table of all cases that tells class and score of its objects."""

    image: Path | LabelImage
    table: InstanceTable | Issue | None = None


class LabelImageProblem(Problem):
    """A kind with a label image a case; its module says how one is prepared and scored."""

    is_scored = True
    has_image_diagonal = True
    decoy_columns = ("labels_sha256", "labelled_voxels")

    def prepare(self, assessment: Assessment, image: LabelImage, instances: Instances | None = None) -> Any:
        """Prepare a reference that has been read, for any number of predictions.

        Parameters
        ----------
        instances
            Class of each object, where a table beside the label image tells.
        """
        raise NotImplementedError

    def allowed_labels(self, assessment: Assessment) -> tuple[int, ...] | None:
        """Labels that may occur beside 0; ``None`` when all may."""
        return None

    def table_beside(self, assessment: Assessment) -> InstanceRules | None:
        """What a table of objects beside the label images may and has to tell; ``None`` where there are no objects."""
        return None

    def blank_label(self, assessment: Assessment) -> int:
        """The label of a block that stands in for a reference that is not scored."""
        return min(set(self.allowed_labels(assessment) or (1,)) - {0}, default=1)

    def warm_up_with(self, assessment: Assessment, reference: Any, image: LabelImage) -> None:
        """Work out what metrics need of a reference, and load their libraries, once for all processes forked later.

        Scored against itself moved by a voxel, since equal masks take short cuts.
        """
        import numpy as np

        from evaluation.readers import LabelImage

        moved = LabelImage(np.roll(image.labels, 1, axis=0), image.geometry)
        self.score(assessment, "", reference, ImagePrediction(moved))
        self.warm_up(assessment, reference)

    def look(self, prediction: ImagePrediction) -> dict[str, Any]:
        """Digest of the labels whatever their format, and how many voxels are labelled."""
        import hashlib

        import numpy as np

        from evaluation.readers import LabelImage, ReadError, read_label_image

        try:
            image = prediction.image
            labels = (image if isinstance(image, LabelImage) else read_label_image(image)).labels
        except ReadError:
            return {}
        plain = np.ascontiguousarray(labels, dtype=np.uint32)
        digest = hashlib.sha256(repr(plain.shape).encode() + plain.tobytes()).hexdigest()
        return {"digest": digest, "labelled": int(np.count_nonzero(plain))}

    # Folders of the command line --------------------------------------------------------------------------------------

    def open_references(self, assessment: Assessment, folder: Path) -> ImageReferences:
        """Find the label images of a folder; see `Problem.open_references`."""
        from evaluation.problems.folders import find_cases, patients_of
        from evaluation.readers import ReadError

        files = find_cases(folder)
        if not files:
            raise ReadError("not_found", folder.name or str(folder), "no label images in the folder")
        table = self.read_table_beside(assessment, folder)
        shared = self.shared_of_folder(assessment, patients_of(folder, list(files)))
        return ImageReferences(self, assessment, files, table, shared)

    def open_predictions(self, assessment: Assessment, folder: Path, references: References) -> Opened:
        """Find the label images of one algorithm; see `Problem.open_predictions`."""
        from evaluation.problems.folders import find_cases

        assert isinstance(references, ImageReferences)
        files = find_cases(folder)
        unexpected = [path.name for case, path in files.items() if case not in references.files]
        table = self.predicted_table(assessment, folder)
        # A table that cannot be read is told once, and not again for each case.
        reasons = {"": table} if _is_issue(table) else {}
        predictions = {case: ImagePrediction(path, table) for case, path in files.items() if case in references.files}
        return Opened(predictions, reasons, unexpected)  # type: ignore[arg-type]

    def read_table_beside(self, assessment: Assessment, folder: Path) -> InstanceTable | None:
        """Read the table of objects beside references.

        Raises
        ------
        ReadError
            If it is needed and not there, or cannot be taken.
        """
        return None

    def predicted_table(self, assessment: Assessment, folder: Path) -> InstanceTable | Issue | None:
        """The table of objects beside predictions, or why it cannot be taken."""
        return None

    def shared_of_folder(self, assessment: Assessment, patients: Mapping[str, str] | None) -> dict[str, Any]:
        """What the evidence of all algorithms has in common."""
        return {}


def label_image_problem(problem_id: str) -> LabelImageProblem:
    """The kind of that id, which has a label image a case.

    Raises
    ------
    ValueError
        If it has none.
    """
    from evaluation.problems.registry import get

    problem = get(problem_id)
    if not isinstance(problem, LabelImageProblem):
        message = f"the problem {problem_id} has no label images"
        raise ValueError(message)  # noqa: TRY004  (it is the id that is wrong)
    return problem


def _is_issue(table: object) -> bool:
    from evaluation.readers import Issue

    return isinstance(table, Issue)


@dataclass(frozen=True)
class ImageReferences(References):
    """The label images of a folder, each read when it is prepared."""

    problem: LabelImageProblem
    assessment: Assessment
    files: Mapping[str, Path]
    table: InstanceTable | None = None
    shared: Mapping[str, Any] = field(default_factory=dict)

    @property
    def cases(self) -> Sequence[str]:  # type: ignore[override]
        """Ascending."""
        return list(self.files)

    def prepare(self, case: str) -> Any:
        """Read and prepare the reference of a case, with the classes that a table beside it tells."""
        from evaluation.readers import read_label_image
        from evaluation.readers.instance_tables import check_instances

        path = self.files[case]
        image = read_label_image(path)
        instances = None
        if self.table is not None:
            instances = self.table.of(case)
            check_instances(image, instances, case=case, file=path.name)
        return self.problem.prepare(self.assessment, image, instances)
