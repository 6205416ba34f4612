"""What the home page shows of the designs that a person writes."""

from dataclasses import dataclass

from django.core.cache import cache
from django.template.loader import render_to_string

from accounts.requests import SignedInRequest
from designs.models import Design
from designs.queries.documents import document_of
from designs.queries.findings import gate_of

SHOWN = 4
_KEPT_SECONDS = 7 * 24 * 3600


@dataclass(frozen=True)
class Progress:
    """How far a design is: percent of what a call asks for, and errors that would stop it from being filed."""

    percent: float
    errors: int


def my_designs(request: SignedInRequest) -> str | None:
    """The designs that the person changed last, as HTML; nothing while there is none."""
    rows = list(Design.objects.filter(collaborators__user=request.user).order_by("-changed_at")[: SHOWN + 1])
    if not rows:
        return None
    designs = [(design, progress_of(design)) for design in rows[:SHOWN]]
    return render_to_string("designs/home_section.html", {"designs": designs, "more": len(rows) > SHOWN}, request)


def progress_of(design: Design) -> Progress:
    """How far a design is; measured once for each change of it, since its checks take their time."""
    key = f"design-progress:{design.pk}:{design.changed_at.timestamp()}"
    figures: tuple[float, int] | None = cache.get(key)
    if figures is None:
        gate = gate_of(document_of(design), design=design)
        figures = (gate.completeness.lowest.design.percent, len(gate.errors))
        cache.set(key, figures, _KEPT_SECONDS)
    return Progress(*figures)
