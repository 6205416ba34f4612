"""Statements of a bundle about excluded cases.

They list the number of excluded cases and the reasons, and the rankings with and without these cases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evaluation.assessment.exclusions import counted_words
from evaluation.ranking.counted import QUALITY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.assessment.model import Assessment

OTHER_RANKINGS: Final = "rankings_of_changes"
"""Key of the manifest: the rankings of the same submissions by the assessments that a registered change replaced."""


def exclusion_notes(
    assessment: Assessment, document: Mapping[str, Any], manifest: Mapping[str, Any]
) -> tuple[str, ...]:
    """Return sentences about excluded cases, and about the other ranking of the same submissions.

    Parameters
    ----------
    assessment, document
        Assessment and recomputed document of the bundle.
    manifest
        Manifest of the bundle. Its statements about the other ranking are not verified: that ranking has a
        separate bundle.
    """
    notes = []
    excluded = [entry["reason"] for entry in document.get("excluded", ())]
    named = [reason for reason in excluded if reason != QUALITY]
    if named:
        cases = "1 case is" if len(named) == 1 else f"{len(named)} cases are"
        notes.append(f"{cases} left out, for every team, because of the data: {counted_words(named)}.")
    if graded := len(excluded) - len(named):
        cases = "1 case is" if graded == 1 else f"{graded} cases are"
        notes.append(f"{cases} left out, for every team, by the registered quality grade.")
    if unmet := sorted(set(assessment.exclusions.cases) - {entry["case"] for entry in document.get("excluded", ())}):
        notes.append(f"Registered as excluded, and in no result anyway: {', '.join(unmet[:20])}.")
    others = manifest.get(OTHER_RANKINGS)
    notes += [
        f"The same submissions are ranked {other['what']} as well: digest {other['digest']}."
        for other in (others if isinstance(others, list) else ())
        if isinstance(other, dict) and all(isinstance(other.get(key), str) for key in ("what", "digest"))
    ]
    return tuple(notes)
