"""File names of the views of a case: pictures, sheets of slices, answers and the plan that lists them."""

import hashlib
import json
from typing import Any

from datastore.test_sets import vault
from datastore.uploads.storage import private
from submissions.models import Run


def picture_name(run: Run, case: str, *, with_reference: bool) -> str:
    """Return the name in private storage; what shows a reference never has the name of what does not."""
    kind = f"full.png{vault.SUFFIX}" if with_reference else "prediction.png"
    return f"{_place(run, case)}-{kind}"


def sheet_name(run: Run, case: str, layer: str, axis: str, *, is_secret: bool) -> str:
    """Return the name of a sheet of slices; one that shows a reference is kept as references are."""
    return f"{_place(run, case)}-{axis}-sheet-{layer}{vault.SUFFIX if is_secret else ''}"


def plan_name(run: Run, case: str, *, with_reference: bool) -> str:
    """Return the name of the plan that lists the views of a case and the start position.

    The plan with the reference is secret.
    """
    kind = f"shown-full.json{vault.SUFFIX}" if with_reference else "shown.json"
    return f"{_place(run, case)}-{kind}"


def _place(run: Run, case: str) -> str:
    return f"pictures/{run.pk}/{hashlib.sha256(case.encode()).hexdigest()[:32]}"


def plan_of(run: Run, case: str, *, with_reference: bool) -> dict[str, Any] | None:
    """Return the plan of a case: picture, strips and layers of slices, and answers.

    Returns None if the case has no pictures yet.
    """
    name = plan_name(run, case, with_reference=with_reference)
    if not private().exists(name):
        return None
    plan: dict[str, Any] = json.loads(vault.read_bytes(name))
    return plan


def is_drawn(run: Run, case: str, *, with_reference: bool) -> bool:
    """Return whether the picture exists."""
    return private().exists(picture_name(run, case, with_reference=with_reference))
