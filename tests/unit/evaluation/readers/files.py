"""Label images in every format, written by independent libraries or byte by byte."""

import gzip
import struct

import nibabel
import numpy as np
import SimpleITK
import tifffile
from PIL import Image

LABELS = (np.arange(4 * 5 * 6).reshape(4, 5, 6) % 3).astype(np.uint8)
AFFINE = np.array([[0.8, 0, 0, -10], [0, 0.9, 0, 20], [0, 0, 2.5, 5], [0, 0, 0, 1.0]])


def nifti(path, labels=LABELS, affine=AFFINE, kind=nibabel.Nifti1Image):
    nibabel.save(kind(labels, affine, dtype=labels.dtype), path)
    return path


def itk(path, labels=LABELS, affine=AFFINE, *, compress=False):
    """Write with SimpleITK: its arrays have z first, and its coordinates run to the left and back."""
    image = SimpleITK.GetImageFromArray(np.ascontiguousarray(labels.T))
    spacing = np.sqrt((affine[:3, :3] ** 2).sum(axis=0))
    to_lps = np.diag([-1.0, -1.0, 1.0])
    if labels.ndim == 3:
        image.SetSpacing(spacing.tolist())
        image.SetDirection((to_lps @ (affine[:3, :3] / spacing)).ravel().tolist())
        image.SetOrigin((to_lps @ affine[:3, 3]).tolist())
    SimpleITK.WriteImage(image, str(path), useCompression=compress)
    return path


def tiff(path, labels=LABELS, **options):
    tifffile.imwrite(path, np.ascontiguousarray(labels.T), photometric="minisblack", **options)
    return path


def png(path, labels):
    Image.fromarray(np.ascontiguousarray(labels.T)).save(path)
    return path


def raw_nifti(path, *, dim=(3, 4, 5, 6, 1, 1, 1, 1), code=2, data=None, extra=b"", offset=352.0, scale=(1.0, 0.0),
              pixdim=(1.0,) * 8, magic=b"n+1\0", sform=None):  # fmt: skip
    """Write a NIfTI-1 file field by field, also one that no library would write."""
    header = bytearray(352)
    struct.pack_into("<i", header, 0, 348)
    struct.pack_into("<8h", header, 40, *dim)
    struct.pack_into("<hh", header, 70, code, 8)
    struct.pack_into("<8f", header, 76, *pixdim)
    struct.pack_into("<3f", header, 108, offset, *scale)
    if sform is not None:
        struct.pack_into("<hh", header, 252, 0, 2)
        struct.pack_into("<12f", header, 280, *np.asarray(sform, dtype=float)[:3].ravel())
    header[344:348] = magic
    body = LABELS.tobytes(order="F") if data is None else data
    content = bytes(header) + body + extra
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def raw_nifti_2(path, *, order="<", dim=(3, 4, 5, 6, 1, 1, 1, 1), code=2, data=None, offset=544, scale=(1.0, 0.0),
                pixdim=(1.0,) * 8, magic=b"n+2\0\r\n\x1a\n", sform=None, quaternion=None, intent=0):  # fmt: skip
    """Write a NIfTI-2 file field by field; the voxels follow after 544 bytes regardless of the stated offset."""
    header = bytearray(544)
    struct.pack_into(order + "i8sh", header, 0, 540, magic, code)
    struct.pack_into(order + "8q", header, 16, *dim)
    struct.pack_into(order + "8d", header, 104, *pixdim)
    struct.pack_into(order + "q2d", header, 168, offset, *scale)
    if quaternion is not None:
        struct.pack_into(order + "i", header, 344, 1)
        struct.pack_into(order + "6d", header, 352, *quaternion)
    if sform is not None:
        struct.pack_into(order + "i", header, 348, 1)
        struct.pack_into(order + "12d", header, 400, *np.asarray(sform, dtype=float)[:3].ravel())
    struct.pack_into(order + "i", header, 504, intent)
    content = bytes(header) + (LABELS.tobytes(order="F") if data is None else data)
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path
