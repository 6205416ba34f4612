"""Files of strangers: label images, tables and boxes, read within limits that hold before memory is given to them."""

from evaluation.readers.errors import REMEDIES, Issue, ReadError
from evaluation.readers.geometry import Alignment, Geometry, align
from evaluation.readers.images import (
    SUFFIXES,
    LabelImage,
    case_name,
    check_prediction,
    read_geometry,
    read_label_image,
)
from evaluation.readers.limits import Limits

__all__ = [
    "REMEDIES",
    "SUFFIXES",
    "Alignment",
    "Geometry",
    "Issue",
    "LabelImage",
    "Limits",
    "ReadError",
    "align",
    "case_name",
    "check_prediction",
    "read_geometry",
    "read_label_image",
]
