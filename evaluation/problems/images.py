"""Kinds of problem whose references and predictions are a label image a case."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from evaluation.metrics.options import Option
from evaluation.problems.files import (
    FILE_PATTERN,
    SEVERAL_FILES,
    FilePerformance,
    FileProblem,
    FileReferenceRules,
    FileScorerFiles,
    FileTexts,
    FileWords,
)
from evaluation.problems.grids import grid_words, registered_rule, ruled
from evaluation.problems.metric_rules import MetricRules
from evaluation.problems.pictures import Pictures
from evaluation.problems.plausibility import Plausibility
from evaluation.problems.samples import Samples

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluation.assessment.model import Assessment
    from evaluation.checking import Finding
    from evaluation.figures.case_sheets import CaseSheets
    from evaluation.problems.beside import TableBeside
    from evaluation.readers import Issue, LabelImage, Limits
    from evaluation.readers.instance_tables import Instances

PATTERN: Final = Option(
    FILE_PATTERN,
    "string",
    None,
    "Further names of the files of cases, such as {case}/pred.nii.gz or {case}_seg.nii.gz. Names that end in the ending after "
    "the case remain valid. Blank: no further names",
    stands_where_set=True,
)
"""Setting with the pattern of `evaluation.checking.naming.case_by_pattern`."""


class ImagePrediction(NamedTuple):
    """The label image of a case and an optional table of all cases next to it.

    An invalid table is replaced by the reason why it is invalid.
    """

    image: Path | LabelImage
    table: Any = None


class LabelImagePictures(Pictures):
    """Pictures of label images."""

    description = "Three orthogonal slices of {case} with the outline of the prediction"
    caption = "Slices across z, y and x through the middle of the {shown}."

    def can_be_drawn(self, facts: Mapping[str, Any], *, has_image: bool) -> bool:
        """On a plain backdrop where there is no image."""
        return "shape" in facts

    def outline_form(self, facts: Mapping[str, Any]) -> tuple[str, tuple[int, ...]]:
        """A label a voxel."""
        return "uint16", tuple(facts["shape"])

    def outline_of(self, value: LabelImage) -> NDArray[Any]:
        """The labels."""
        return value.labels

    def draw(
        self,
        facts: Mapping[str, Any],
        image: NDArray[Any] | None,
        prediction: NDArray[Any] | None,
        reference: NDArray[Any] | None,
    ) -> bytes | None:
        """Outline labels in three orthogonal slices.

        Where to cut is decided by what the picture shows: the place of the cut must not give the reference away.
        """
        from evaluation.figures import case_pictures
        from evaluation.readers import Geometry

        outlines = ((reference, case_pictures.REFERENCE), (prediction, case_pictures.PREDICTION))
        layers = [case_pictures.Layer(labels, colour) for labels, colour in outlines if labels is not None]
        around = prediction if reference is None else reference
        return case_pictures.picture(Geometry.of(facts), image, layers, around=around)

    def sheets(
        self,
        facts: Mapping[str, Any],
        image: NDArray[Any] | None,
        prediction: NDArray[Any] | None,
        reference: LabelImage,
    ) -> CaseSheets | None:
        """All slices along all axes, with outlines."""
        from evaluation.figures.case_sheets import sheets_of_labels
        from evaluation.readers import Geometry

        return sheets_of_labels(Geometry.of(facts), image, prediction, self.outline_of(reference))


class LabelImageSamples(Samples):
    """Samples of label images."""

    def worse_predictions(self, perfect: Mapping[str, Path], folder: Path) -> dict[str, dict[str, Path]]:
        """Label images that are empty, all foreground, shifted and noise."""
        from evaluation.problems.shown import LABELS, worse_labels

        path = next(path for name, path in perfect.items() if name.startswith(f"{LABELS}."))
        by_kind = worse_labels(path, folder)
        return {kind: {LABELS + "".join(worse_path.suffixes): worse_path} for kind, worse_path in by_kind.items()}


class LabelImageScorerFiles(FileScorerFiles):
    """Files of label images for scoring images."""

    stems_and_kinds: tuple[tuple[str, str], ...] = (("labels", "label_image"),)

    def write_reference(
        self, assessment: Assessment, content: LabelImage, instances: Instances | None, folder: Path
    ) -> dict[str, Path]:
        """The label image."""
        return self._show_labels(content, folder)

    def write_prediction(self, assessment: Assessment, content: LabelImage, said: Any, folder: Path) -> dict[str, Path]:
        """The label image."""
        return self._show_labels(content, folder)

    def _show_labels(self, content: LabelImage, folder: Path) -> dict[str, Path]:
        from evaluation.problems.shown import LABELS, write_labels

        folder.mkdir(parents=True, exist_ok=True)
        path = write_labels(content, folder / LABELS)
        return {path.name: path}


class LabelImageTexts(FileTexts):
    """Texts about label images on pages."""

    kind: LabelImageProblem

    decoy_columns = ("labels_sha256", "labelled_voxels")
    file_noun = "label image"
    no_decoy_reason = (
        "a decoy without a reference needs images/{case}.nii.gz (or another format with a grid), or any label image "
        "of its grid as references/{case}.nii.gz"
    )

    def submit_page(self, assessment: Assessment, cases: int) -> FileWords:
        """Return the description of the label images for the submit page."""
        first, *others = self.kind.suffixes
        endings = ", ".join(f"`{ending}`" for ending in others[:-1]) + f" or `{others[-1]}`"
        before = (
            f"One label image for each of the {cases} cases, named `<case>{first}` (or ending in {endings}), on the grid of "
            "the case's image: the same shape, voxel size and orientation. Files can be in one folder of the archive."
        )
        pattern = self.kind.file_pattern(assessment)
        also = (f"Files with a name of the form `{pattern}` are accepted as well.",) if pattern else ()
        regions = assessment.regions if self.kind.allowed_labels(assessment) else ()
        return FileWords(
            before=(before, SEVERAL_FILES, *also, grid_words(assessment)),
            ending=first,
            terms=tuple((region.name, " or ".join(str(label) for label in region.labels)) for region in regions),
            of_terms="Labels",
            behind_terms="0 is background. No other label may occur.",
            columns=("Voxels", "Voxel size (mm)"),
        )

    def fact_cells(self, facts: Mapping[str, Any]) -> tuple[str, ...]:
        """Shape and spacing."""
        from evaluation.readers import Geometry

        grid = Geometry.of(facts)
        return (
            " × ".join(str(length) for length in grid.shape),
            " × ".join(_size(size) for size in grid.spacing_or_unit),
        )


class LabelImagePlausibility(Plausibility):
    """Plausibility of results of label images."""

    has_objects = False
    """True if each label is an object."""

    def features(self, content: LabelImage) -> dict[str, Any]:
        """Checksum, labels and pieces of a label image, and the shift of its grid."""
        from evaluation.checking.label_images import features_of

        return features_of(content, objects=self.has_objects)

    def are_features(self, features: Mapping[str, Any]) -> bool:
        """Return whether values have the form of `features`."""
        from evaluation.checking.label_images import are_features
        from evaluation.checking.unused import UNUSED, are_unused_features

        if UNUSED in features and not are_unused_features(features[UNUSED]):
            return False
        return are_features({name: value for name, value in features.items() if name != UNUSED})

    def questions(self, features: Mapping[str, Mapping[str, Any]], reasons: Mapping[str, Issue]) -> Sequence[Finding]:
        """Question what is equal, in pieces or without background in all label images."""
        from evaluation.checking.label_images import questions
        from evaluation.checking.unused import question_of_unused

        of_images = {case: each for case, each in features.items() if "checksum" in each}
        return [
            *questions(of_images, reasons, objects=self.has_objects),
            *question_of_unused(features),
        ]

    def summary_of(self, prediction: ImagePrediction) -> dict[str, Any]:
        """Return the digest of the labels, independent of the format, and the number of labelled voxels."""
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


class LabelImageMetrics(MetricRules):
    """Metrics of label images."""

    has_image_diagonal = True


class LabelImageReferenceRules(FileReferenceRules):
    """References of label images."""

    kind: LabelImageProblem

    def merge_files(self, files: Sequence[Path], rule: str, target: Path) -> Path:
        """Merge label images on one grid, which may be stored differently; runs in confined children only."""
        from evaluation.problems.label_merging import merge_files

        return merge_files(files, rule, target)

    def facts_of_image(self, path: Path) -> dict[str, Any] | None:
        """The grid of an image that has one."""
        from evaluation.readers import read_geometry

        return read_geometry(path).document if self.kind.case_of(path.name) else None

    def write_stand_in(self, assessment: Assessment, facts: Mapping[str, Any], target: Path) -> Path:
        """Write a block in the middle of the grid."""
        from evaluation.problems.label_merging import stand_in
        from evaluation.readers import Geometry

        return stand_in(Geometry.of(facts), self.kind.blank_label(assessment), target)


class LabelImagePerformance(FilePerformance):
    """Preparation and shortcuts of scoring for label images."""

    kind: LabelImageProblem

    def cost_of(self, facts: Mapping[str, Any]) -> int:
        """Voxels."""
        return math.prod(facts["shape"])

    def warm_up_with(self, assessment: Assessment, reference: Any, image: LabelImage) -> None:
        """Work out what metrics need of a reference, and load their libraries, once for all processes forked later.

        Scored against itself moved by a voxel, since equal masks take short cuts.
        """
        import numpy as np

        from evaluation.readers import LabelImage

        moved = LabelImage(np.roll(image.labels, 1, axis=0), image.geometry)
        self.kind.score(assessment, "", reference, ImagePrediction(moved))
        self.warm_up(assessment, reference)


def compared_by_rule(assessment: Assessment, image: LabelImage) -> LabelImage:
    """Return a reference whose grid is compared with those of predictions by the rule of the assessment."""
    from dataclasses import replace

    return replace(image, geometry=ruled(image.geometry, assessment.settings))


class LabelImageProblem(FileProblem):
    """A kind with one label image per case; its module defines how an image is prepared and scored."""

    pictures = LabelImagePictures()
    samples = LabelImageSamples()
    scorer_files = LabelImageScorerFiles()
    texts = LabelImageTexts()
    plausibility = LabelImagePlausibility()
    metrics = LabelImageMetrics()
    references = LabelImageReferenceRules()
    performance = LabelImagePerformance()

    @property
    def suffixes(self) -> tuple[str, ...]:
        """File endings of label images."""
        from evaluation.readers import SUFFIXES

        return SUFFIXES

    # Reading and validating -------------------------------------------------------------------------------------------

    def read_reference(self, assessment: Assessment, path: Path) -> LabelImage:
        """Read a label image with the labels of the assessment."""
        from evaluation.problems.dimensions import refuse_flat
        from evaluation.readers import read_label_image

        image = read_label_image(path, allowed_labels=self.allowed_labels(assessment))
        refuse_flat(assessment, image.geometry, path.name)
        return image

    def expected(self, assessment: Assessment) -> Mapping[str, Any]:
        """Return the labels that may occur in addition to 0, and the rule for grids where one is set."""
        labels = self.allowed_labels(assessment)
        pattern = self.file_pattern(assessment)
        return (
            {"labels": None if labels is None else list(labels)}
            | registered_rule(assessment)
            | ({FILE_PATTERN: pattern} if pattern else {})
        )

    def read_prediction(
        self, path: Path, facts: Mapping[str, Any], expected: Mapping[str, Any], *, limits: Limits | None = None
    ) -> LabelImage:
        """Read a label image on the grid of the reference."""
        from evaluation.readers import Geometry, read_label_image
        from evaluation.readers.limits import DEFAULT

        grid, labels = ruled(Geometry.of(facts), expected), expected.get("labels")
        return read_label_image(path, expected=grid, allowed_labels=labels, limits=limits or DEFAULT)

    def facts_of(self, content: LabelImage) -> dict[str, Any]:
        """The grid."""
        return content.geometry.document

    def byte_limit(self, facts: Mapping[str, Any]) -> int:
        """Eight bytes a voxel, and room for a header."""
        return 8 * self.performance.cost_of(facts) + 4 * 1024**2

    def check_objects(self, content: LabelImage, instances: Any, *, case: str, file: str) -> None:
        """Every object of the image has its row, and every row its object."""
        from evaluation.readers.instance_tables import check_instances

        check_instances(content, instances, case=case, file=file)

    def submitted(self, path: Path, table: TableBeside | Issue | None) -> ImagePrediction:
        """Return the file, and the table next to all files where there is one."""
        return ImagePrediction(path, table)

    def allowed_labels(self, assessment: Assessment) -> tuple[int, ...] | None:
        """Return the labels that may occur in addition to 0; ``None`` when all may."""
        return None

    def blank_label(self, assessment: Assessment) -> int:
        """Return the label of a block that replaces the reference of an unscored case."""
        return min(set(self.allowed_labels(assessment) or (1,)) - {0}, default=1)

    # Folders of the command line --------------------------------------------------------------------------------------

    def read_local_reference(self, assessment: Assessment, path: Path) -> LabelImage:
        """Read a label image, which may have labels that no region of the assessment names."""
        from evaluation.readers import read_label_image

        return read_label_image(path)


def _size(size: float) -> str:
    """A length with four decimals, or none for a whole number.

    Examples
    --------
    >>> _size(1.0), _size(0.48828)
    ('1', '0.4883')
    """
    text = f"{size:.4f}"
    return text.removesuffix(".0000")
