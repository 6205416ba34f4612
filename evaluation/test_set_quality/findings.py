"""Findings about a test set: what was measured in which case, why it matters, and how to settle it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class Rule(NamedTuple):
    """A check: why its findings matter, and how to settle one."""

    title: str
    reason: str
    remedy: str


RULES: Final = {
    "unreadable": Rule(
        "Unreadable file",
        "The file cannot be scored.",
        "Write the file again with a current version of a common library.",
    ),
    "orientation": Rule(
        "Unusual orientation",
        "The axes point in other directions than in most cases. Flipped references are a common cause of wrong scores.",
        "Open image and reference together. Correct the header or accept the orientation.",
    ),
    "spacing": Rule(
        "Unusual voxel spacing",
        "Distances and volumes in mm depend on the spacing.",
        "Check the spacing against the source of the image. Correct the header or accept the spacing.",
    ),
    "shape": Rule(
        "Unusual image size",
        "A cropped or padded image can be a mistake of the conversion.",
        "Compare the image with its source. Replace it or accept the size.",
    ),
    "image_header": Rule(
        "Headers of image and reference differ",
        "Algorithms write predictions on the grid of the image, and these cannot be compared with the reference.",
        "Save the reference on the grid of its image, with the same header.",
    ),
    "image_missing": Rule(
        "Image missing",
        "The case has a reference and no image.",
        "Add the image or remove the case.",
    ),
    "reference_missing": Rule(
        "Reference missing",
        "The case has an image and no reference, so it cannot be scored.",
        "Add the reference or remove the image.",
    ),
    "empty_reference": Rule(
        "Empty reference",
        "Overlap and distances are undefined in this case, and the missing-value policy decides its score.",
        "Confirm that nothing is to be segmented here, or add the annotation.",
    ),
    "label_missing": Rule(
        "Label missing",
        "A label that most cases contain does not occur.",
        "Confirm that the structure is absent, or add the annotation.",
    ),
    "label_rare": Rule(
        "Rare label",
        "Few cases contain this label. It can be a mistake of the annotation tool.",
        "Correct the label or accept it.",
    ),
    "label_unknown": Rule(
        "Label outside the task",
        "The assessment does not name this label, so it is ignored or refused.",
        "Correct the label or add it to the assessment.",
    ),
    "tiny_components": Rule(
        "Tiny components",
        "Stray voxels change distances and counts of objects.",
        "Remove the stray voxels or accept them.",
    ),
    "holes": Rule(
        "Small holes",
        "Holes in a reference are often left by the annotation tool.",
        "Fill the holes or accept them.",
    ),
    "volume": Rule(
        "Extreme volume",
        "The volume of a label lies far from those of the other cases.",
        "Open the case. Correct the reference or accept the volume.",
    ),
    "intensity": Rule(
        "Unusual intensities",
        "The range of intensities lies far from those of the other cases. The image can be empty, clipped or inverted.",
        "Compare the image with its source. Replace it or accept the intensities.",
    ),
    "constant_image": Rule(
        "Image without contrast",
        "All voxels have the same value.",
        "Replace the image.",
    ),
    "same_reference": Rule(
        "Identical references",
        "Two cases have exactly the same reference. One of them is probably a copy under a wrong name.",
        "Replace the wrong reference or remove the case.",
    ),
    "same_image": Rule(
        "Identical images",
        "Two cases have exactly the same image. They count twice, and algorithms can recognize them.",
        "Remove one of the cases.",
    ),
}  # fmt: skip
"""All checks by the id of their findings."""


@dataclass(frozen=True)
class Finding:
    """One finding about a test set.

    Attributes
    ----------
    id
        A key of `RULES`.
    case
        The case.
    value
        What was measured, in words, with units.
    region
        The label, empty if the finding is about the case.
    others
        Other cases that the finding is about.
    """

    id: str
    case: str
    value: str
    region: str = ""
    others: tuple[str, ...] = ()

    @property
    def rule(self) -> Rule:
        """The check that made the finding."""
        return RULES[self.id]

    @property
    def document(self) -> dict[str, Any]:
        """The finding as JSON values, with title, reason and remedy."""
        return {**asdict(self), "others": list(self.others), **self.rule._asdict()}


def by_severity(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings in the order of `RULES`, then by case.

    Examples
    --------
    >>> [finding.case for finding in by_severity([Finding("holes", "b", ""), Finding("holes", "a", "")])]
    ['a', 'b']
    """
    order = {key: number for number, key in enumerate(RULES)}
    return sorted(findings, key=lambda finding: (order[finding.id], finding.case, finding.region))
