"""Outcomes of the cases of executions, in numbers and text."""

from collections.abc import Mapping

WORDS: Mapping[str, tuple[str, str]] = {
    "ok": ("with a prediction", "the case has a prediction that can be used"),
    "time_exceeded": ("time", "ended at the time limit"),
    "memory_exceeded": ("memory", "ended for its use of memory"),
    "crashed": ("crashed", "the program ended with an error"),
    "invalid_output": ("invalid output", "what was written cannot be used"),
    "no_output": ("no output", "nothing was written for the case"),
}
"""Outcome → its name in one or two words, and its description in a few words."""


def counts_words(counts: Mapping[str, int]) -> str:
    """Numbers of outcomes that are not well, as text: ``3 time, 1 memory``."""
    return ", ".join(
        f"{counts[name]} {short}" for name, (short, _) in WORDS.items() if name != "ok" and counts.get(name)
    )


def missing_words(counts: Mapping[str, int]) -> str:
    """Describe the number of missing cases and the reasons, or return an empty text if no case is missing.

    Example: ``4 of 60 missing: 3 time, 1 memory``.
    """
    total = sum(counts.values())
    missing = total - counts.get("ok", 0)
    return f"{missing} of {total} missing: {counts_words(counts)}" if missing else ""
