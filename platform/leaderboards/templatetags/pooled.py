"""Sentence that explains why a leaderboard of values of the whole data set has fewer views than others."""

from collections.abc import Sequence

from django import template

from challenges.models import Phase
from evaluation.analyses.catalogue import TABS, Tab
from evaluation.importing.fitting import sources_of
from evaluation.wording import joined

register = template.Library()


@register.simple_tag
def pooled_note(phase: Phase, views: Sequence[Tab]) -> str:
    """Name the metrics without values of single cases, what such values are needed for, and what there is instead.

    Empty where every metric has a value for every case.
    """
    metrics = phase.assessment.metrics
    pooled = [use.title for use in metrics if use.level == "dataset"]
    if not pooled:
        return ""
    has = "has" if len(pooled) == 1 else "have"
    named = f"{joined(pooled)} {has} one value for all cases together, not one for each"
    tab_names = joined([f"“{tab.label}”" for tab in views]) if views else ""
    drawn = _drawn_words(phase)
    if len(pooled) < len(metrics):
        return f"{named}: views of single cases and tests between teams show the other metrics only. {drawn}."
    absent = joined([f"“{tab.label}”" for tab in TABS if tab.needs_cases and tab not in views])
    offered = f" What there is: {tab_names}." if tab_names else ""
    without = f", so that there is nothing to show under {absent}" if absent else ""
    return f"{named}{without}. {drawn}.{offered}"


def _drawn_words(phase: Phase) -> str:
    """Describe the sources of the uncertainty of such values."""
    sources = sources_of(phase.assessment)
    words = []
    if sources.sent:
        words.append(f"the uncertainty of {joined(sources.sent)} was submitted with the values")
    if sources.unknown:
        words.append(f"the uncertainty of {joined(sources.unknown)} is unknown")
    sentence = "; ".join(words) or "intervals and resamples come from resampling the cases"
    return sentence[0].upper() + sentence[1:]
