"""The parts of a recommendation document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.advice.knowledge import Guide
    from evaluation.advice.options import Matching
    from evaluation.advice.walk import Walk


@dataclass
class Pick:
    """One metric that a walk ended with, before the classes are put together."""

    id: str
    step: str
    role: str
    name: str | None
    why: str
    origin: str
    options: dict[str, Any]
    to_set: dict[str, str]
    guide: dict[str, Any] | None


def guide_document(
    guide: Guide, chosen: str, preselected: str, why: str, offered: tuple[str, ...] | None
) -> dict[str, Any]:
    """Return the options of a guide, the chosen option and the reason."""
    return {
        "id": guide.id,
        "title": guide.title,
        "step": guide.step,
        "parameter": guide.parameter,
        "chosen": chosen,
        "preselected": preselected,
        "why": why,
        "options": [
            {"id": option, "for": list(pro), "against": list(contra)}
            for option, (pro, contra) in guide.options.items()
            if offered is None or option in offered
        ],
        "note": guide.note,
    }


def step_document(walked: Walk, name: str | None, chosen: Sequence[str]) -> dict[str, Any]:
    """Return one step with all its questions."""
    return {
        "step": walked.step.id,
        "title": walked.step.title,
        "purpose": walked.step.purpose,
        "class": name,
        "trace": [visit.document for visit in walked.visits],
        "candidates": list(walked.candidates),
        "chosen": list(chosen),
        "notes": [leaf.note for leaf, _ in walked.leaves if leaf.note],
        "pitfalls": list(dict.fromkeys(p for visit in walked.visits for p in visit.pitfalls)),
    }


def matching_document(name: str | None, matching: Matching) -> dict[str, Any]:
    """Return the matching of objects of a class."""
    return {"class": name, **matching.options, "to_set": dict(matching.to_set)}


def merged(picks: list[tuple[Pick, str | None]], names: Sequence[str | None]) -> list[dict[str, Any]]:
    """One entry for each metric and set of options, with the classes that it is recommended for."""
    entries: list[dict[str, Any]] = []
    for pick, name in picks:
        same = (
            entry
            for entry in entries
            if entry["id"] == pick.id and entry["options"] == pick.options and entry["name"] == pick.name
        )
        entry = next(same, None)
        if entry is None:
            entry = {
                "id": pick.id,
                "name": pick.name,
                "role": pick.role,
                "steps": [],
                "classes": [],
                "options": pick.options,
                "to_set": pick.to_set,
                "why": [],
                "origin": pick.origin,
                "guide": None if pick.guide is None else pick.guide["id"],
                "alternatives": [
                    option for option in (pick.guide or {"options": []})["options"] if option["id"] != pick.id
                ],
            }
            entries.append(entry)
        if name is not None and name not in entry["classes"]:
            entry["classes"].append(name)
        for key, value in (("steps", pick.step), ("why", pick.why)):
            if value not in entry[key]:
                entry[key].append(value)
    everywhere = [name for name in names if name is not None]
    for entry in entries:
        if not entry["classes"]:
            entry["classes"] = list(everywhere)
    return entries
