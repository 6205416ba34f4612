"""Random pairs of nearly equal grids, stored as NIfTI headers, and the decision on each.

``python -m tests.unit.evaluation.readers.near_grids 10000`` checks any number of pairs and prints the rows of the table
of ``docs/correctness/grids.md``; it ends with exit code 1 if a decision is wrong.
"""

import sys
import tempfile
from collections import Counter
from itertools import product
from pathlib import Path

import nibabel as nib
import numpy as np

from evaluation.readers import ReadError, align, read_geometry

FORMS = ("sform", "qform", "both", "both_of_itk")
BASES = (
    np.diag([-1.0, -1.0, 1.0]),
    np.eye(3),
    np.diag([1.0, -1.0, -1.0]),
    np.array([[0.0, 0, 1], [-1, 0, 0], [0, -1, 0]]),
)
"""Axes of LPS and RAS volumes, of a prone one, and of sagittal slices."""


def rotation(axis, angle):
    """Matrix of a turn, by Rodrigues' formula."""
    x, y, z = axis / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def random_affine(rng):
    """Shape and matrix of an upright, tilted or oblique volume."""
    if rng.random() < 0.3:
        return nearly_turned_round(rng)
    shape = tuple(int(n) for n in rng.integers(2, 500, 3))
    spacing = np.exp(rng.uniform(np.log(0.3), np.log(5), 3))
    # No scanner's volume is longer than half a metre.
    spacing = np.minimum(spacing, 500 / np.array(shape))
    slight = np.exp(rng.uniform(np.log(1e-5), np.log(1e-2)))
    tilt = rng.choice([0.0, slight, np.radians(0.05), np.radians(0.5), rng.uniform(0, np.pi)])
    columns = rotation(rng.normal(size=3), tilt) @ BASES[rng.integers(len(BASES))]
    affine = np.eye(4)
    affine[:3, :3] = columns * spacing
    affine[:3, 3] = rng.uniform(-300, 300, 3)
    return shape, affine


def nearly_turned_round(rng):
    """Shape and matrix of a large volume near a half turn, whose far corners the rounding of a quaternion moves most."""
    shape = tuple(int(n) for n in rng.integers(350, 513, 3))
    spacing = rng.uniform(0.7, 0.95, 3)
    spacing[rng.integers(3)] = rng.uniform(0.25, 0.4)
    base = rng.choice([0, 2])
    axis = np.eye(3)[2 if base == 0 else 0] + rng.normal(0, 1e-4, 3)
    affine = np.eye(4)
    affine[:3, :3] = rotation(axis, rng.uniform(-9e-4, 9e-4)) @ BASES[base] * spacing
    affine[:3, 3] = rng.uniform(-300, 300, 3)
    return shape, affine


def moved(rng, shape, affine):
    """The same matrix, shifted or turned a little about the first voxel, or unchanged."""
    kind = rng.choice(["same", "shifted", "turned"])
    other = affine.copy()
    if kind == "shifted":
        direction = rng.normal(size=3)
        other[:3, 3] += affine[:3, :3] @ (direction / np.abs(direction).max() * rng.uniform(0, 2))
    elif kind == "turned":
        reach = max(shape)
        other[:3, :3] = rotation(rng.normal(size=3), rng.uniform(0, 2) / reach) @ affine[:3, :3]
    return str(kind), other


def stored(path, shape, affine, form):
    """Write a header of nibabel with a matrix, and the bytes of the voxels as a hole; return the matrices in it."""
    header = nib.Nifti1Header()
    header.set_data_dtype(np.uint8)
    header.set_data_shape(shape)
    header.set_zooms(np.sqrt((affine[:3, :3] ** 2).sum(axis=0)))
    if form in ("qform", "both", "both_of_itk"):
        header.set_qform(affine, code=1)
    if form in ("sform", "both"):
        header.set_sform(affine, code=2)
    elif form == "both_of_itk":
        # ITK writes the matrix that it read, which for many files is that of the quaternion.
        header.set_sform(of_quaternion(header), code=1)
    header["vox_offset"], header["magic"] = 352, b"n+1"
    with path.open("wb") as file:
        file.write(header.binaryblock + b"\0\0\0\0")
        file.truncate(352 + int(np.prod(shape)))
    matrices = [header.get_sform()] if header["sform_code"] else []
    return read_geometry(path), matrices + ([of_quaternion(header)] if header["qform_code"] else [])


def of_quaternion(header):
    """Matrix of the quaternion as the reference implementation of NIfTI-1 reads it: a² below 1e-7 counts as 0."""
    b, c, d = (float(header[f"quatern_{name}"]) for name in "bcd")
    vector = np.array([b, c, d])
    squared = 1 - vector @ vector
    if squared < 1e-7:
        vector, squared = vector / np.sqrt(vector @ vector), 0.0
    a = np.sqrt(squared)
    cross = np.array([[0, -vector[2], vector[1]], [vector[2], 0, -vector[0]], [-vector[1], vector[0], 0]])
    turn = (a**2 - vector @ vector) * np.eye(3) + 2 * np.outer(vector, vector) + 2 * a * cross
    sizes = header["pixdim"][1:4].astype(float)
    sizes[2] *= -1 if header["pixdim"][0] < 0 else 1
    affine = np.eye(4)
    affine[:3, :3] = turn * sizes
    affine[:3, 3] = [float(header[f"qoffset_{name}"]) for name in "xyz"]
    return affine


def smallest_shift(shape, ours, theirs):
    """Largest displacement of a corner along an axis, in voxels, for the pair of matrices that agrees best."""
    corners = np.array([(*corner, 1) for corner in product(*((0, n - 1) for n in shape))], dtype=float)
    shifts = []
    for one, other in product(ours, theirs):
        back = corners @ (np.linalg.inv(one) @ other).T
        shifts.append(np.abs(back - corners)[:, :3].max())
    return min(shifts)


ROUNDING = 1e-4
"""Displacement in voxels by which rounding may change a decision at a limit."""
ROWS = {
    "the same matrix, below 0.5 voxels": lambda kind, shift: kind == "same" and shift < 0.5,
    "the same matrix, 0.5 to 1 voxel (rounding of the quaternion)": lambda kind, shift: (
        kind == "same" and 0.5 <= shift <= 1
    ),
    "another matrix, below 0.5 voxels": lambda kind, shift: kind != "same" and shift < 0.5,
    "another matrix, 0.5 to 1 voxel": lambda kind, shift: kind != "same" and 0.5 <= shift <= 1,
    "above 1 voxel": lambda kind, shift: shift > 1,
}


def check(pairs, seed, folder):
    """Decide on random pairs; returns counts, and the pairs that are decided wrongly."""
    rng = np.random.default_rng(seed)
    counts, wrong = Counter(), []
    for pair in range(pairs):
        shape, affine = random_affine(rng)
        kind, other = moved(rng, shape, affine)
        forms = str(rng.choice(FORMS)), str(rng.choice(FORMS))
        expected, ours = stored(folder / "reference.nii", shape, affine, forms[0])
        actual, theirs = stored(folder / "prediction.nii", shape, other, forms[1])
        try:
            shift = align(expected, actual, file="prediction.nii").shift
            decision = "accepted"
        except ReadError:
            shift, decision = None, "refused"
        true_shift = smallest_shift(shape, ours, theirs)
        row = next(name for name, holds in ROWS.items() if holds(kind, true_shift))
        counts[kind, decision] += 1
        counts[row, decision] += 1
        counts["forms", *forms] += 1
        # A pair that was stored from one matrix differs by nothing but the rounding of its form.
        must_accept = true_shift < 0.5 - ROUNDING or (kind == "same" and true_shift <= 1 - ROUNDING)
        must_refuse = true_shift > 1 + ROUNDING
        if (must_accept and decision == "refused") or (must_refuse and decision == "accepted"):
            wrong.append((pair, kind, forms, true_shift, shift))
    return counts, wrong


def table(counts):
    """The rows of the table of the documentation."""
    return [
        f"| {row} | {counts[row, 'accepted'] + counts[row, 'refused']:,} | {counts[row, 'accepted']:,} | {counts[row, 'refused']:,} |"
        for row in ROWS
    ]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        decided, failed = check(int(sys.argv[1]), 1, Path(name))
    print("\n".join(table(decided)))
    print("combinations of stored matrices:", sum(1 for key in decided if key[0] == "forms"))
    print("wrong:", len(failed), failed[:5])
    sys.exit(bool(failed))
