"""Errors of a file, described in a way that allows its author to fix them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

REMEDIES: Final = {
    "not_found": "Send the file under exactly this name.",
    "duplicate": "Keep one file for each case.",
    "format": "Use .nii.gz, .nii, .mha, .mhd, .nrrd, .mgz, .dcm, .tif, .tiff or .png.",
    "empty_file": "Write the file again; it has no content.",
    "too_large": "Save labels in the smallest whole-number type that holds them and other images as 32-bit floats, on the grid of the input image.",
    "magic": "The content is of another format than the name says; save it again in that format.",
    "header": "Write the file again with a current version of a common library.",
    "truncated": "The file ends too early; write and upload it again.",
    "trailing_data": "Write the file again; something follows after the image.",
    "checksum": "The compressed content is damaged; write and upload it again.",
    "compression": "Decompress it, for instance with gdcmconv --raw, or save it as .nii.gz.",
    "overlap": "Give each voxel to one segment, or save a label image.",
    "datatype": "Save labels as whole numbers (8, 16 or 32 bit), other images and fields as whole numbers or 32- or 64-bit floats.",
    "dimensions": "Save a 2D or 3D image with one number a voxel.",
    "shape": "Bring it onto the grid of the input image.",
    "axes": "Swap the axes before saving, for instance with numpy.transpose.",
    "spacing": "Bring it onto the grid of the input image and keep its header.",
    "orientation": "Keep the header (direction, affine) of the input image.",
    "origin": "Keep the header (origin, affine) of the input image.",
    "not_finite": "Replace NaN and infinity by the numbers that are meant.",
    "negative": "Labels are whole numbers from 0 on.",
    "not_integer": "Round the labels to whole numbers; a label image contains no probabilities.",
    "scaled": "Save the labels with an integer data type and without scaling, in nibabel: set_data_dtype('uint8').",
    "label_range": "Use smaller label numbers.",
    "labels": "Use only the labels of the task; 0 is background.",
    "vector": "Save one displacement vector a voxel of the fixed image, in the convention of the task.",
    "channels": "Save as many channels as the reference has: one or three.",
    "table": "Correct the table and send it again.",
}


REMEDIES_OF_TABLES: Final = {
    "format": "Send a CSV file in UTF-8, or COCO JSON for objects.",
    "too_large": "Send only the rows and columns that are asked for.",
    "trailing_data": "Write the table again; something follows after its end.",
}
_TABLES: Final = (".csv", ".json", ".geojson", ".parquet")
_CELL_SHOWN: Final = 40


class Issue(NamedTuple):
    """One finding about a file, with a stable code.

    Attributes
    ----------
    row, cell
        Row of a table and its wrong cell; ``None`` and empty where they do not apply. The header is row 1.
    """

    kind: str
    message: str
    remedy: str
    row: int | None = None
    cell: str = ""


class ReadError(ValueError):
    """Error for an invalid file, with a stable code and a message that is safe to show.

    The message describes only the file itself and the expected geometry and labels, never the content of a reference.

    Attributes
    ----------
    kind
        One of the keys of `REMEDIES`.
    message
        The file, its actual content, and the expected content.
    remedy
        Instruction for fixing the error.
    row, cell
        Row of a table and its wrong cell; ``None`` and empty where they do not apply. The header is row 1.
    """

    def __init__(
        self, kind: str, file: str, found: str, expected: str = "", *, row: int | None = None, cell: str = ""
    ) -> None:
        self.kind = kind
        self.file = file
        self.found = found
        self.expected = expected
        self.row = row
        self.cell = cell[:_CELL_SHOWN]
        # What helps with an image does not help with a table.
        of_table = file.lower().endswith(_TABLES) and REMEDIES_OF_TABLES.get(kind)
        self.remedy = of_table or REMEDIES[kind]
        self.message = f"{file}: {found}" + (f"; expected {expected}" if expected else "")
        super().__init__(f"{self.message}. {self.remedy}")

    def __reduce__(self) -> tuple[Callable[..., ReadError], tuple[str | int | None, ...]]:
        return _read_error, (self.kind, self.file, self.found, self.expected, self.row, self.cell)

    def of_case(self, case: str) -> ReadError:
        """Return the same error with the case in its message; the error itself if `case` is empty."""
        if not case:
            return self
        content = f"case {case}: {self.found}"
        return ReadError(self.kind, self.file, content, self.expected, row=self.row, cell=self.cell)

    @property
    def issue(self) -> Issue:
        """The same as a plain value."""
        return Issue(self.kind, self.message, self.remedy, self.row, self.cell)


def _read_error(kind: str, file: str, content: str, expected: str, row: int | None, cell: str) -> ReadError:
    return ReadError(kind, file, content, expected, row=row, cell=cell)
