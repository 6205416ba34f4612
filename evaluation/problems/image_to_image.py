"""Image to image: synthesis, reconstruction, denoising; real-valued images on one grid against those of the references."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from evaluation.metrics.options import Option
from evaluation.problems.cautions import of_doses, of_similarity
from evaluation.problems.files import (
    SEVERAL_FILES,
    FileEvidence,
    FilePerformance,
    FileReferenceRules,
    FileScorerFiles,
    FileTexts,
    FileWords,
)
from evaluation.problems.grids import GEOMETRY, grid_words, registered_rule, ruled
from evaluation.problems.metric_rules import MetricRules
from evaluation.problems.pictures import Pictures
from evaluation.problems.plausibility import ValuePlausibility
from evaluation.problems.reference_parts import ENDING, PartsProblem
from evaluation.problems.region_rules import RegionRules
from evaluation.problems.samples import ALGORITHMS, Samples
from evaluation.problems.value_figures import CasePairs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluation.assessment.model import Assessment, MetricUse
    from evaluation.figures.case_sheets import CaseSheets
    from evaluation.readers.instance_tables import Instances
    from evaluation.readers.intensities import IntensityImage
    from evaluation.readers.limits import Limits
    from evaluation.scoring.evidence_blocks import Block
    from evaluation.scoring.intensities import PredictedImage, PreparedImage
    from evaluation.scoring.rows import Pieces, Row, ScoredCase

IMAGE = "image"
MASK = "mask"
MASKS = "masks"


class ReferenceImage:
    """A reference with the label image of its regions, where there is one."""

    def __init__(self, image: IntensityImage, mask: Any | None) -> None:
        self.image = image
        self.mask = mask
        self.geometry = image.geometry


class ImagePictures(Pictures):
    """Pictures of image-to-image translation."""

    description = "The middle slice of {case} as it was predicted"
    outlines = ()

    def can_be_drawn(self, facts: Mapping[str, Any], *, has_image: bool) -> bool:
        """Always: the prediction is an image itself."""
        return "shape" in facts

    def outline_form(self, facts: Mapping[str, Any]) -> tuple[str, tuple[int, ...]]:
        """An intensity a voxel."""
        return "float32", tuple(facts["shape"])

    def outline_of(self, value: Any) -> NDArray[Any]:
        """The intensities, the mean of channels."""
        image = value.image if isinstance(value, ReferenceImage) else value
        intensities: NDArray[Any] = image.values.mean(axis=-1) if image.channels > 1 else image.values
        return (
            intensities.reshape(image.values.shape[: len(value.geometry.shape)]) if image.channels == 1 else intensities
        )

    def draw(
        self,
        facts: Mapping[str, Any],
        image: NDArray[Any] | None,
        prediction: NDArray[Any] | None,
        reference: NDArray[Any] | None,
    ) -> bytes | None:
        """Draw the prediction and, where the reference may be seen, also the reference and the error.

        All panels share one window of grey levels.
        """
        from evaluation.figures.image_pairs import picture_of_pair

        def middle(volume: NDArray[Any] | None) -> NDArray[Any] | None:
            return volume if volume is None or volume.ndim == 2 else volume[:, :, volume.shape[2] // 2]

        return picture_of_pair(middle(prediction), middle(reference), upwards=len(facts["shape"]) == 3)

    def sheets(
        self,
        facts: Mapping[str, Any],
        image: NDArray[Any] | None,
        prediction: NDArray[Any] | None,
        reference: ReferenceImage,
    ) -> CaseSheets | None:
        """All slices of prediction, reference and error."""
        from evaluation.figures.pair_sheets import sheets_of_intensities
        from evaluation.readers import Geometry

        return sheets_of_intensities(Geometry.of(facts), image, prediction, self.outline_of(reference))

    def caption_of(self, *, with_reference: bool) -> str:
        """Return the caption that explains the panels."""
        if with_reference:
            return (
                "From the left: the reference, the prediction, the absolute error between them, and how alike the structures around each "
                "pixel are, on the middle slice. Grey levels are those of the reference, from its lowest to its highest; the error is white "
                "where it is as wide, the last panel where structures are the same (SSIM in windows of 7 × 7 pixels of this slice, whatever "
                "window is registered)."
            )
        return "The middle slice of the prediction, in its own grey levels from the lowest to the highest."


class ImageSamples(Samples):
    """Samples of image-to-image translation."""

    kind: ImageToImage

    def perfect_prediction(
        self, reference: Mapping[str, Path], shared: Mapping[str, Any], folder: Path
    ) -> Mapping[str, Path]:
        """Without the mask."""
        return {name: path for name, path in reference.items() if name.startswith(f"{IMAGE}.")}

    def worse_predictions(self, perfect: Mapping[str, Path], folder: Path) -> dict[str, dict[str, Path]]:
        """Images that are constant, shifted, inverted and noise."""
        from evaluation.problems.shown import worse_intensities
        from evaluation.readers.intensities import read_intensities

        [path] = perfect.values()
        by_kind = worse_intensities(read_intensities(path), folder)
        return {kind: {IMAGE + "".join(worse_path.suffixes): worse_path} for kind, worse_path in by_kind.items()}

    def write_challenge(
        self, folder: Path, *, cases: int = 6, seed: int = 1, algorithms: Sequence[str] = ALGORITHMS
    ) -> dict[str, Any]:
        """Smooth images; one algorithm adds a little noise, one more."""
        from evaluation.problems.examples import write_images

        write_images(folder, cases=cases, seed=seed, algorithms=algorithms)
        return {
            "schema": 1,
            "problem": self.kind.id,
            "regions": [{"name": "body", "labels": [1]}],
            "metrics": [{"id": "image_mae"}, {"id": "psnr"}, {"id": "ssim"}],
            "settings": {"data_range": [0, 255]},
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
        """Write images in the registered data range, and masks of the regions."""
        from evaluation.problems.registered_examples import write_intensities

        write_intensities(assessment, folder, cases=cases, seed=seed, algorithms=algorithms)


class ImageScorerFiles(FileScorerFiles):
    """Files of image-to-image translation for scoring images."""

    stems_and_kinds = (("image", "image"), ("mask", "label_image"))

    def write_reference(
        self, assessment: Assessment, content: ReferenceImage, instances: Instances | None, folder: Path
    ) -> dict[str, Path]:
        """The image, and the mask of its regions where there is one."""
        from evaluation.problems.shown import write_labels

        files = self.write_prediction(assessment, content.image, None, folder)
        if content.mask is not None:
            path = write_labels(content.mask, folder / MASK)
            files[path.name] = path
        return files

    def write_prediction(
        self, assessment: Assessment, content: IntensityImage, said: Any, folder: Path
    ) -> dict[str, Path]:
        """The image."""
        from evaluation.problems.shown import write_intensities

        folder.mkdir(parents=True, exist_ok=True)
        path = write_intensities(content, folder / IMAGE)
        return {path.name: path}


class ImageTexts(FileTexts):
    """Texts about image-to-image translation on pages."""

    kind: ImageToImage

    file_noun = "image"
    no_decoy_reason = (
        "a decoy without a reference needs images/{case}.nii.gz (or another format with a grid), or any image of its grid as "
        "references/{case}.nii.gz"
    )
    decoy_columns = ("voxels_sha256", "voxels")

    def submit_page(self, assessment: Assessment, cases: int) -> FileWords:
        """Return the description of the images for the submit page."""
        first, *others = self.kind.suffixes
        endings = ", ".join(f"`{ending}`" for ending in others[:-1]) + f" or `{others[-1]}`"
        before = (
            f"One image of real numbers for each of the {cases} cases, named `<case>{first}` (or ending in {endings}), on the "
            "grid of the case: the same shape, voxel size and orientation. Intensities are compared as they stand, after the "
            "scaling that the header names; NaN and infinity are refused. Files can be in one folder of the archive."
        )
        return FileWords(
            before=(before, SEVERAL_FILES, grid_words(assessment)), ending=first, columns=("Voxels", "Channels")
        )

    def fact_cells(self, facts: Mapping[str, Any]) -> tuple[str, ...]:
        """Shape and channels."""
        return " × ".join(str(length) for length in facts["shape"]), str(facts.get("channels", 1))


class ImagePlausibility(ValuePlausibility):
    """Plausibility of results of image-to-image translation."""

    metric_rules = (of_similarity, of_doses)

    def summary_of(self, prediction: Path) -> dict[str, Any]:
        """Return the digest of the intensities and the number of voxels that are not 0.

        The digest is independent of the format.
        """
        import hashlib

        import numpy as np

        from evaluation.readers import ReadError
        from evaluation.readers.intensities import read_intensities

        try:
            values = read_intensities(prediction).values
        except ReadError:
            return {}
        digest = hashlib.sha256(repr(values.shape).encode() + np.ascontiguousarray(values).tobytes()).hexdigest()
        return {"digest": digest, "labelled": int(np.count_nonzero(values))}


class ImageEvidence(FileEvidence):
    """Evidence of values of the whole data set for image-to-image translation."""

    figures = (
        CasePairs(
            name="case-pairs",
            title="Does the first team win case by case?",
            reading="A dot is a case: its value for the first team to the right, for another team upwards. On the line both are equally good; "
            "both axes have the same scale. A single dot far off is a case to look at under “Cases”.",
        ),
    )
    is_pooled = False

    def parts_by_metric(self, assessment: Assessment) -> dict[str, str]:
        """None: every value is one of a case."""
        return {}

    def assemble(
        self, assessment: Assessment, algorithm: str, pieces: Mapping[str, Pieces | None], shared: Mapping[str, Any]
    ) -> tuple[list[Row], list[Block]]:
        """Nothing: every value is one of a case."""
        return [], []

    def regions_of(self, assessment: Assessment, use: MetricUse, shared: Mapping[str, Any]) -> list[str]:
        """Return the regions of the assessment, or the whole image if there are none."""
        return [region.name for region in assessment.regions] or [""]


class ImageMetrics(MetricRules):
    """Metrics of image-to-image translation."""

    can_be_undefined = False


class ImageReferenceRules(FileReferenceRules):
    """References of image-to-image translation."""

    kind: ImageToImage

    def facts_of_image(self, path: Path) -> dict[str, Any] | None:
        """The grid of an image that has one."""
        from evaluation.readers import read_geometry

        return read_geometry(path).document | {"channels": 1} if self.kind.case_of(path.name) else None

    def write_stand_in(self, assessment: Assessment, facts: Mapping[str, Any], target: Path) -> Path:
        """Write a reference for a decoy; not possible where there are regions, since these need a mask."""
        from evaluation.problems.label_merging import stand_in
        from evaluation.readers import Geometry

        if assessment.regions:
            message = "a decoy needs an image and a mask among the references like other cases"
            raise ValueError(message)
        return stand_in(Geometry.of(facts), 1, target)


class ImagePerformance(FilePerformance):
    """Preparation and shortcuts of scoring for image-to-image translation."""

    def cost_of(self, facts: Mapping[str, Any]) -> int:
        """Voxels."""
        return math.prod(facts["shape"])


class ImageToImage(PartsProblem):
    """Every voxel has an intensity; a region is a union of labels of a mask."""

    id = "image_to_image"
    category = "I2I"
    task_categories = ("reconstruction", "restoration", "denoising")
    regions = RegionRules(have_numbered_labels=True)
    settings = (
        Option(
            "data_range",
            "number|array|enum",
            None,
            "Lowest and highest intensity: two numbers, one number R for 0 to R, or “reference” for those of each reference.",
            choices=("reference",),
            exclusive_minimum=0,
        ),
        GEOMETRY,
    )
    pictures = ImagePictures()
    samples = ImageSamples()
    scorer_files = ImageScorerFiles()
    texts = ImageTexts()
    plausibility = ImagePlausibility()
    evidence = ImageEvidence()
    metrics = ImageMetrics()
    references = ImageReferenceRules()
    performance = ImagePerformance()

    # The assessment ---------------------------------------------------------------------------------------------------

    def check(self, assessment: Assessment) -> None:
        """Refuse what needs a data range and has none, and windows without a centre."""
        from evaluation import catalogue
        from evaluation.assessment.errors import AssessmentError

        has_range = assessment.settings["data_range"] is not None
        for number, use in enumerate(assessment.metrics):
            if use.is_by_run or use.is_by_scorer:
                continue
            needs = "data_range" in catalogue.get(use.id).needs or use.options.get("clip")
            if needs and not has_range:
                allowed = (
                    f'[low, high], a number or "reference": {use.name} needs it, and it is never taken from a number type '
                    "or a prediction"
                )
                raise AssessmentError("settings.data_range", None, allowed)
            if use.policy.missing == "worst" and use.worst is None and not has_range:
                field_path = f"metrics[{number}].policy.missing"
                raise AssessmentError(
                    field_path, "worst", f"a number: without settings.data_range {use.name} has no worst value"
                )
            if use.options.get("size", 1) % 2 == 0:
                raise AssessmentError(f"metrics[{number}].options.size", use.options["size"], "an odd number")

    # Files ------------------------------------------------------------------------------------------------------------

    @property
    def suffixes(self) -> tuple[str, ...]:
        """File endings of label images."""
        from evaluation.readers import SUFFIXES

        return SUFFIXES

    def ending_of(self, name: str) -> str:
        """Also that of an image which is kept with its mask."""
        return ENDING if name.endswith(ENDING) else super().ending_of(name)

    def case_of(self, name: str) -> str:
        """By the endings of images only."""
        return "" if name.endswith(ENDING) else super().case_of(name)

    def place_of(self, names: Sequence[str]) -> tuple[str, str]:
        """Return the case of an image file and its path; there is one image per case.

        Label images in the folder ``masks`` accompany them.
        """
        if len(names) > 1 and names[-2] == MASKS and self.case_of(names[-1]):
            return "", f"{MASKS}/{names[-1]}"
        return super().place_of(names)

    def parts_of(self, path: Path) -> dict[str, Path]:
        """The image, and its mask where there is one."""
        parts = {IMAGE: path}
        masks = path.parent / MASKS
        if masks.is_dir():
            case = self.case_of(path.name)
            mask_paths = [each for each in sorted(masks.iterdir()) if self.case_of(each.name) == case]
            parts |= {MASK: mask_paths[0]} if mask_paths else {}
        return parts

    def read_parts(self, assessment: Assessment, parts: Mapping[str, Path]) -> ReferenceImage:
        """Read the image, and its mask where the assessment has regions."""
        from evaluation.readers import ReadError, read_label_image
        from evaluation.readers.intensities import read_intensities

        image = read_intensities(parts[IMAGE])
        if not assessment.regions:
            return ReferenceImage(image, None)
        if MASK not in parts:
            actual = f"no mask with its regions, {MASKS}/{parts[IMAGE].name}"
            raise ReadError("not_found", parts[IMAGE].name, actual, "a label image on the same grid")
        return ReferenceImage(image, read_label_image(parts[MASK], expected=image.geometry))

    def expected(self, assessment: Assessment) -> Mapping[str, Any]:
        """Return the rule for grids where one is set."""
        return registered_rule(assessment)

    def read_prediction(
        self, path: Path, facts: Mapping[str, Any], expected: Mapping[str, Any], *, limits: Limits | None = None
    ) -> PredictedImage:
        """Read an image on the grid of the case."""
        from evaluation.readers import Geometry
        from evaluation.readers.limits import DEFAULT
        from evaluation.scoring.intensities import read_predicted

        grid = ruled(Geometry.of(facts), expected)
        return read_predicted(path, grid, channels=int(facts.get("channels", 1)), limits=limits or DEFAULT)

    def facts_of(self, content: ReferenceImage) -> dict[str, Any]:
        """The grid and the number of channels."""
        return content.geometry.document | {"channels": content.image.channels}

    def byte_limit(self, facts: Mapping[str, Any]) -> int:
        """Eight bytes a number, and room for a header."""
        return 8 * self.performance.cost_of(facts) * int(facts.get("channels", 1)) + 4 * 1024**2

    def prepare(
        self, assessment: Assessment, content: ReferenceImage, instances: Instances | None = None
    ) -> PreparedImage:
        """Extract the regions and determine the data range."""
        from dataclasses import replace

        import numpy as np

        from evaluation.scoring.intensities import PreparedImage, data_range_of

        image = replace(content.image, geometry=ruled(content.image.geometry, assessment.settings))
        regions: dict[str, Any] = {"": None}
        if assessment.regions:
            labels = content.mask.labels  # type: ignore[union-attr]
            regions = {region.name: np.isin(labels, [int(x) for x in region.labels]) for region in assessment.regions}
        return PreparedImage(image, regions, data_range_of(assessment.settings["data_range"], image))

    # Scoring ----------------------------------------------------------------------------------------------------------

    def score(
        self,
        assessment: Assessment,
        case: str,
        reference: PreparedImage,
        prediction: Path | IntensityImage | None,
        *,
        algorithm: str = "",
        parts: bool = False,
    ) -> ScoredCase:
        """Score the regions of one image."""
        from evaluation.scoring.intensities import score_image

        return score_image(assessment, case, reference, prediction, algorithm=algorithm)


PROBLEM = ImageToImage()
