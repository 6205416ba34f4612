"""One label image out of those of several annotators, and label images written on a grid.

SimpleITK and nibabel (the extra `merging`) are imported only where something is merged or written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation.readers import Geometry, LabelImage, read_label_image

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

MAJORITY: Final = "majority_vote"
STAPLE: Final = "staple"
STRICT: Final = "strict"


def merge(images: Sequence[NDArray[Any]], rule: str) -> NDArray[Any]:
    """Merge label images of one grid.

    Parameters
    ----------
    images
        One array of labels an annotator, all of one shape; 0 is background.
    rule
        ``majority_vote``, ``staple`` or ``strict``.

    Returns
    -------
    numpy.ndarray
        Labels, of the smallest unsigned type that holds them.

    Raises
    ------
    ValueError
        For another rule, and for arrays of different shapes.

    Notes
    -----
    Majority vote and STAPLE are SimpleITK's ``LabelVoting`` and ``MultiLabelSTAPLE`` (Rohlfing, Russakoff, Maurer 2004,
    doi:10.1109/TMI.2004.830803) with undecided voxels as background.

    Examples
    --------
    >>> first, second, third = (np.array([[0, 1, 1, 2]]), np.array([[0, 1, 2, 2]]), np.array([[1, 1, 0, 0]]))
    >>> merge([first, second, third], "majority_vote").tolist()
    [[0, 1, 0, 2]]
    >>> merge([first, second, third], "strict").tolist()
    [[0, 1, 0, 0]]
    """
    if rule not in (MAJORITY, STAPLE, STRICT):
        message = f"{rule} is not computed here."
        raise ValueError(message)
    if len({image.shape for image in images}) != 1:
        message = "The label images have different shapes."
        raise ValueError(message)
    greatest = max(int(image.max(initial=0)) for image in images)
    kind = np.min_scalar_type(greatest)
    if len(images) == 1:
        return images[0].astype(kind)
    if rule == STRICT:
        first = images[0]
        agreed = np.logical_and.reduce([image == first for image in images[1:]])
        return np.where(agreed, first, 0).astype(kind)
    # Here, so that pages start without it.
    import SimpleITK

    # Equal labels merge to themselves, which STAPLE cannot estimate anything from.
    if all(np.array_equal(image, images[0]) for image in images[1:]):
        return images[0].astype(kind)
    # Numbered through, since SimpleITK keeps an image a label up to the greatest; undecided gets the number behind them.
    labels = np.unique(np.concatenate([np.unique(image) for image in images] + [np.zeros(1, dtype=kind)]))
    numbered = [SimpleITK.GetImageFromArray(np.searchsorted(labels, image).astype(np.uint16)) for image in images]
    undecided = len(labels)
    if rule == MAJORITY:
        merged = SimpleITK.LabelVoting(numbered, undecided)  # type: ignore[no-untyped-call]
    else:
        merged = SimpleITK.MultiLabelSTAPLE(numbered, undecided)  # type: ignore[no-untyped-call]
    merged_labels = SimpleITK.GetArrayFromImage(merged)
    return labels[np.where(merged_labels >= undecided, 0, merged_labels)].astype(kind)


def merge_files(files: Sequence[Path], rule: str, target: Path) -> Path:
    """Merge the label images of one case and write the result; this runs in confined children only.

    Parameters
    ----------
    files
        One label image per annotator, all on one grid (which may be stored differently). The first determines how the result
        is stored.
    target
        The file to write, without its ending.

    Returns
    -------
    pathlib.Path
        The file written.

    Raises
    ------
    ReadError
        If a file cannot be read or is on another grid than the first.
    """
    first = read_label_image(files[0])
    others = [read_label_image(path, expected=first.geometry).labels for path in files[1:]]
    return write(LabelImage(merge([first.labels, *others], rule), first.geometry), target)


def stand_in(geometry: Geometry, label: int, target: Path) -> Path:
    """Write a label image for a decoy that has no reference: a block in its middle, so that it costs time like others."""
    labels = np.zeros(geometry.shape, dtype=np.min_scalar_type(label))
    labels[tuple(slice(length // 4, max(length // 4 + 1, 3 * length // 4)) for length in geometry.shape)] = label
    return write(LabelImage(labels, geometry), target)


def write(image: LabelImage, target: Path) -> Path:
    """Write a label image so that it is read with the same grid.

    Raises
    ------
    ValueError
        Where no format that is written here keeps the grid.
    """
    geometry = image.geometry
    if geometry.oriented_format:
        import nibabel

        path = target.with_name(f"{target.name}.nii.gz")
        affine = None if geometry.affine is None else np.array(geometry.affine)
        stored = nibabel.Nifti1Image(image.labels, affine, dtype=image.labels.dtype)  # type: ignore[no-untyped-call]
        stored.header.set_xyzt_units("mm")  # type: ignore[no-untyped-call]
        if geometry.affine is None and geometry.spacing is not None:
            stored.header.set_zooms(geometry.spacing)  # type: ignore[no-untyped-call]
        nibabel.save(stored, path)
    else:
        import tifffile

        path = target.with_name(f"{target.name}.tif")
        tifffile.imwrite(
            path, np.ascontiguousarray(image.labels.transpose()), compression="zlib", photometric="minisblack"
        )
    if not same_grid(read_label_image(path).geometry, geometry):
        message = "The merged labels cannot be stored on the same grid. Send them as .nii.gz files."
        raise ValueError(message)
    return path


def same_grid(one: Geometry, other: Geometry) -> bool:
    """Return whether two grids are the same to about a thousandth of a voxel."""
    if one.shape != other.shape or (one.affine is None) != (other.affine is None):
        return False
    if (one.spacing is None) != (other.spacing is None):
        return False
    pairs = [(one.spacing, other.spacing), (one.affine, other.affine)]
    return all(first is None or np.allclose(np.array(first), np.array(second), atol=1e-3) for first, second in pairs)
