"""DICOM image series and segmentations, read by pydicom within bounds that are checked first.

Only what places and describes voxels is read. Names, dates and identifiers of patients are neither kept nor shown.
"""

from evaluation.readers.dicom.images import read_header
from evaluation.readers.dicom.parts import is_dicom, pack

__all__ = ["is_dicom", "pack", "read_header"]
