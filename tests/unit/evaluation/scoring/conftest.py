import nibabel
import numpy as np
import pytest

from evaluation.assessment import parse

DOCUMENT = {
    "schema": 1,
    "problem": "semantic_segmentation",
    "regions": [{"name": "core", "labels": [1]}, {"name": "whole", "labels": [1, 2]}],
    "metrics": [
        {"id": "dsc"},
        {"id": "nsd", "options": {"tolerance": 1.0}},
        {"id": "hausdorff_percentile", "options": {"percentile": 95}, "name": "hd95"},
        {"id": "assd"},
    ],
    "ranking": {"scheme": "aggregate_then_rank"},
}


@pytest.fixture
def assessment():
    return parse(DOCUMENT)


@pytest.fixture
def labels():
    image = np.zeros((12, 14, 10), dtype=np.uint8)
    image[3:9, 3:10, 2:8] = 2
    image[4:7, 4:8, 3:6] = 1
    return image


@pytest.fixture
def shifted(labels):
    return np.roll(labels, 1, axis=0)


@pytest.fixture
def save():
    def write(path, labels, spacing=(1.0, 1.0, 2.0)):
        path.parent.mkdir(parents=True, exist_ok=True)
        nibabel.save(nibabel.Nifti1Image(labels, np.diag([*spacing, 1.0])), path)
        return path

    return write
