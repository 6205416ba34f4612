"""Where the pictures of a case are kept."""

import hashlib
from collections.abc import Collection

from submissions.models import Run
from test_sets import vault
from test_sets.models import TestCase
from uploads.storage import private


def picture_name(run: Run, case: str, *, with_reference: bool) -> str:
    """Return the name in private storage; what shows a reference never has the name of what does not."""
    kind = f"full.png{vault.SUFFIX}" if with_reference else "prediction.png"
    return f"pictures/{run.pk}/{hashlib.sha256(case.encode()).hexdigest()[:32]}-{kind}"


def is_drawn(run: Run, case: str, *, with_reference: bool) -> bool:
    """Whether the picture is there."""
    return private().exists(picture_name(run, case, with_reference=with_reference))


def drawable(run: Run, cases: Collection[str]) -> list[str]:
    """Those of some cases of which there are pictures, in the same order; one query."""
    rows = TestCase.objects.filter(test_set=run.test_set_id, name__in=cases)
    found = {case.name for case in rows.only("name", "geometry", "image_file") if can_be_drawn(case)}
    return [case for case in cases if case in found]


def can_be_drawn(case: TestCase) -> bool:
    """Whether there is something to draw: a grid, or an image to draw two-dimensional objects on."""
    return "shape" in case.geometry or bool(case.image_file and case.geometry.get("axes") == 2)
