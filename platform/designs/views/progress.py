"""Progress in the form of a design: current page, completeness of each page, and next open field."""

from dataclasses import dataclass, field, replace
from typing import Any, Final

from django.http import Http404, HttpRequest
from django.urls import reverse

from designs import hooks
from designs.forms.presenting import FieldView, Mark
from designs.hooks import Standing
from designs.models import Design
from designs.queries import texts
from designs.queries.readiness import Readiness, is_untouched, needed, unanswered
from evaluation.designs.catalogue import shipped
from evaluation.designs.checks.running import Finding
from evaluation.designs.completeness import completeness
from evaluation.designs.document import Document

# What a page of the form can be cut down to, and the marks of the fields that it shows then.
FILTERS: Final = {"needed": (Mark.NEEDED, Mark.ERROR), "errors": (Mark.ERROR,)}


@dataclass(frozen=True)
class Place:
    """A page of the form: a section, of the challenge or of a task."""

    section: str
    label: str
    task: str
    name: str
    url: str
    filled: int
    total: int
    errors: int
    open_fields: tuple[str, ...] = field(default=())

    @property
    def first_open(self) -> str:
        """Address of the first field that is needed and open."""
        return f"{self.url}#f-{self.open_fields[0]}" if self.open_fields else ""


def wanted_filter(request: HttpRequest) -> str:
    """The filter that the address asks for; empty for all fields."""
    only = request.GET.get("only", "")
    if only and only not in FILTERS:
        raise Http404("There is no such filter.")
    return only


def filtered(views: list[FieldView], only: str) -> list[FieldView]:
    """Hide the fields that a filter holds back; they stay on the page, since answers to a save reach for them."""
    return [replace(view, is_hidden=view.mark not in FILTERS[only]) for view in views] if only else views


def next_open(places: list[Place], at: int) -> str:
    """Address of the next open field on another page, from the present one round to it again; empty if none is."""
    return next((page.first_open for page in (*places[at + 1 :], *places[:at]) if page.open_fields), "")


def next_step(
    user: Any,
    design: Design,
    ready: Readiness,
    *,
    places: list[Place],
    collaborates: bool,
    may_edit: bool,
    may_file: bool,
) -> Standing | None:
    """Return the next step for a design.

    A running process that another app reports takes precedence. Otherwise the step is the next part to write.
    Designs from the literature have no next step: their open points are those of the sources.

    Parameters
    ----------
    places
        All pages of the form, to find the first open field.
    collaborates, may_edit, may_file
        A person without a part in the design receives only the information that other apps provide.
        A person without permission for the next step sees it, but no button for it.
    """
    standing = hooks.standings_of(user, [design]).get(design.pk)
    if standing is not None and not standing.is_over:
        return standing if may_edit else replace(standing, act="")
    if not collaborates or design.legacy_import:
        return None
    if ready.is_ready:
        step = hooks.filing_of(user, design, ready.essential, ready.is_executed) or Standing("")
        step = replace(step, kind="ok") if may_file else Standing("", kind="ok", text="An owner files it.")
    elif ready.errors:
        step = Standing("", kind="bad", act="See the errors", act_address=f"{_checks(design)}?only=errors")
    elif ready.open_fields:
        step = Standing("", act="Go to the next one", act_address=next_open(places, -1))
    elif ready.to_fill:
        step = Standing("", kind="warn", act="See the fields", act_address=f"{_checks(design)}?only=needed")
    else:
        step = Standing("", kind="warn", act="See the checks", act_address=_checks(design))
    if standing is not None:
        step = replace(step, text=f"{standing.text} {step.text}".strip())
    return replace(step, words=ready.words, act=step.act if may_edit else "")


def _checks(design: Design) -> str:
    return reverse("designs:checks", args=[design.slug])


def section_links(design: Design, document: Document, findings: list[Finding]) -> list[dict[str, Any]]:
    """The section list: for each section its places (challenge and tasks) with progress and number of errors."""
    measured = completeness(document)
    tasks = {task.task: task for task in measured.tasks if task.task is not None}
    links = []
    for section in texts.catalogue().sections:
        parameters = texts.catalogue().in_section(section.key)
        places = []
        if any(not parameter.is_task for parameter in parameters):
            places.append(_place(design, document, section.key, task="", name="the challenge", findings=findings))
        if any(parameter.is_task for parameter in parameters):
            places += [
                _place(design, document, section.key, task=key, name=task.name, findings=findings)
                for key, task in tasks.items()
            ]
        links.append({"section": section, "places": places, "share": measured.section(section.key)})
    return links


def _place(design: Design, document: Document, section: str, *, task: str, name: str, findings: list[Finding]) -> Place:
    catalogue = shipped()
    values = document.values(task or None)
    parameters = [p for p in catalogue.in_section(section) if p.is_task == bool(task)]
    asked = needed(parameters, values)
    still_open = unanswered(asked, values)
    parameter_ids = {parameter.id for parameter in parameters}
    errors = {
        (finding.check.id, finding.task)
        for finding in findings
        if finding.blocks
        and finding.check.parameter in parameter_ids
        and not is_untouched(finding, document)
        and (not task or finding.task in (None, task))
    }
    name_of = {"designs:section": [design.slug, section], "designs:task_section": [design.slug, section, task]}
    url = "designs:task_section" if task else "designs:section"
    return Place(
        section=section,
        label=next(entry.label for entry in catalogue.sections if entry.key == section),
        task=task,
        name=name,
        url=reverse(url, args=name_of[url]),
        filled=len(asked) - len(still_open),
        total=len(asked),
        errors=len(errors),
        open_fields=tuple(f"{p.id}-{task}" if task else p.id for p in still_open),
    )
