"""Banner of deviations, for every page that shows a ranking."""

from typing import Any

from django import template

from challenges.models import Phase
from challenges.queries import deviations

register = template.Library()


@register.inclusion_tag("challenges/_deviation_banner.html")
def deviation_banner(phase: Phase | None, version: Any = None) -> dict[str, Any]:
    """Return the deviations of a ranking from the registration; none if there are no deviations.

    Parameters
    ----------
    version
        The ranking that is shown; its `assessment_digest` identifies the executed assessment.
    """
    if not isinstance(phase, Phase):
        return {"deviations": []}
    executed = getattr(version, "assessment_digest", None) or None
    return {
        "deviations": deviations(phase, executed=executed),
        "slug": phase.challenge.slug,
        "key": f"{phase.task.slug}.{phase.slug}",
    }
