"""Where the pictures of a case are kept."""

import hashlib

from submissions.models import Run
from test_sets import vault
from uploads.storage import private


def picture_name(run: Run, case: str, *, with_reference: bool) -> str:
    """Return the name in private storage; what shows a reference never has the name of what does not."""
    kind = f"full.png{vault.SUFFIX}" if with_reference else "prediction.png"
    return f"{_place(run, case)}-{kind}"


def sheet_name(run: Run, case: str, layer: str, axis: str) -> str:
    """Return the name of a sheet of slices; one that shows a reference is kept as references are."""
    kind = {"image": "image.jpg", "prediction": "outline.png", "reference": f"outline-full.png{vault.SUFFIX}"}[layer]
    return f"{_place(run, case)}-{axis}-{kind}"


def plan_name(run: Run, case: str, *, with_reference: bool) -> str:
    """Return the name of what says how the sheets are laid out and where to begin; where, with the reference, is secret."""
    kind = f"full.json{vault.SUFFIX}" if with_reference else "prediction.json"
    return f"{_place(run, case)}-{kind}"


def _place(run: Run, case: str) -> str:
    return f"pictures/{run.pk}/{hashlib.sha256(case.encode()).hexdigest()[:32]}"


def is_drawn(run: Run, case: str, *, with_reference: bool) -> bool:
    """Whether the picture is there."""
    return private().exists(picture_name(run, case, with_reference=with_reference))
