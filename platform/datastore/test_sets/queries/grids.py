"""Facts about the grids of the images of a test set."""

from typing import Final

from challenges.models import Phase
from datastore.test_sets.models import TestCase

_FLAT: Final = 2
"""Dimensions of a picture; a volume has one more."""


def length_unit(phase: Phase) -> str:
    """Return the unit of distances in the images of a phase.

    The unit is mm if the files contain the spacing of all images, otherwise pixels or voxels.
    """
    shapes = TestCase.objects.filter(test_set__phase=phase, test_set__is_active=True, geometry__isnull=False)
    unknown = (
        shapes.filter(geometry__has_key="shape", geometry__spacing=None).values_list("geometry", flat=True).first()
    )
    if unknown is None:
        return "mm"
    return "pixels" if len(unknown["shape"]) == _FLAT else "voxels"
