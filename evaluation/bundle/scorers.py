"""Statements of a bundle about values that a scoring image of the organizers computed.

These values are ranked again. They can be computed again only with the image.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

SCORERS: Final = "scorers"
"""Key of the manifest: the scoring images that results are from, each with the digest of its trial."""
_LONGEST: Final = 100


def scorer_notes(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a sentence for each image that lists its values and states that they were used unchanged.

    Examples
    --------
    >>> entry = {"image": "sha256:ab", "metrics": ["own_dice"], "self_test": "sha256:cd", "tried_at": "2026-05-01T10:00:00"}
    >>> scorer_notes({"scorers": [entry]})[0][:75]
    'The values of own_dice were computed by the scoring image sha256:ab (trial '
    """
    entries = manifest.get(SCORERS)
    notes = []
    for entry in entries if isinstance(entries, list) else ():
        if not isinstance(entry, dict) or not isinstance(entry.get("metrics"), list):
            continue
        metrics = ", ".join(str(name)[:_LONGEST] for name in entry["metrics"][:20])
        image, trial = (str(entry.get(key, ""))[:_LONGEST] for key in ("image", "self_test"))
        when = str(entry.get("tried_at", ""))[:10]
        notes.append(
            f"The values of {metrics} were computed by the scoring image {image} (trial {trial} of {when}), not by a metric of "
            "Podium. They were ranked again here and not computed again: podium verify --scorer IMAGE does that, with the image, "
            "the references and the predictions."
        )
    return tuple(notes)
