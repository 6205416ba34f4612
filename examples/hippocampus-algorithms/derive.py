# ruff: noqa: INP001 (a script beside its data)
"""Make `atlas.txt` from the references of the public cases: the most frequent label of each place of the field of view.

    python examples/hippocampus-algorithms/derive.py

A line of 20 digits goes along the first axis; lines along the second
(28), then the third (20).
"""

import json
from pathlib import Path

import nibabel
import numpy as np

HERE = Path(__file__).parent
SHAPE = (20, 28, 20)


def atlas() -> str:
    """Write the atlas as digits."""
    phases = json.loads((HERE / "challenge.json").read_text())["phases"]
    cases = next(phase["cases"] for phase in phases if phase.get("is_dry_run"))
    votes = np.zeros((3, *SHAPE))
    for case in cases:
        labels = np.asarray(nibabel.load(HERE.parent / "hippocampus" / "references" / f"{case}.nii.gz").dataobj)
        # Nearest voxel of each place of the atlas.
        near = [
            np.minimum(((np.arange(m) + 0.5) / m * n).astype(int), n - 1)
            for n, m in zip(labels.shape, SHAPE, strict=True)
        ]
        sampled = labels[np.ix_(*near)]
        for label in range(3):
            votes[label] += sampled == label
    digits = votes.argmax(axis=0).astype(str)
    return "\n".join("".join(digits[:, y, z]) for z in range(SHAPE[2]) for y in range(SHAPE[1])) + "\n"


if __name__ == "__main__":
    (HERE / "atlas.txt").write_text(atlas())
