"""Section of the home page with the designs that a person writes."""

from django.template.loader import render_to_string

from accounts.requests import SignedInRequest
from designs.models import Design
from designs.queries.readiness import readiness_of

SHOWN = 4


def my_designs(request: SignedInRequest) -> str | None:
    """The designs that the person changed last, as HTML; nothing while there is none."""
    rows = list(Design.objects.filter(collaborators__user=request.user).order_by("-changed_at")[: SHOWN + 1])
    if not rows:
        return None
    measured = readiness_of(rows[:SHOWN])
    designs = [(design, measured[design.pk]) for design in rows[:SHOWN]]
    return render_to_string("designs/home_section.html", {"designs": designs, "more": len(rows) > SHOWN}, request)
