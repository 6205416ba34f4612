"""Where one is in the form of a design, how far each place has come, and where the next open field is."""

from dataclasses import dataclass, field, replace
from typing import Any, Final

from django.http import Http404, HttpRequest
from django.urls import reverse

from designs.forms.presenting import FieldView, Mark
from designs.models import Design
from designs.queries import texts
from evaluation.designs.catalogue import Parameter, shipped
from evaluation.designs.checks.running import Finding
from evaluation.designs.completeness import applies, completeness
from evaluation.designs.document import Document, State, Values

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


@dataclass(frozen=True)
class Progress:
    """How many of the needed fields are answered."""

    filled: int
    total: int


def progress_of(document: Document) -> Progress:
    """Count over the challenge and all tasks."""
    filled = total = 0
    for task in (None, *document.tasks):
        values = document.values(task)
        asked = _asked([p for p in shipped().parameters.values() if p.is_task == bool(task)], values)
        total += len(asked)
        filled += len(asked) - len(_open(asked, values))
    return Progress(filled, total)


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
    asked = _asked(parameters, values)
    still_open = _open(asked, values)
    parameter_ids = {parameter.id for parameter in parameters}
    errors = {
        (finding.check.id, finding.task)
        for finding in findings
        if finding.blocks
        and finding.check.parameter in parameter_ids
        and not _is_untouched(finding, document)
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


def _asked(parameters: list[Parameter], values: Values) -> list[Parameter]:
    """Those that are needed here."""
    return [p for p in parameters if p.required and applies(p, values)]


def _open(asked: list[Parameter], values: Values) -> list[Parameter]:
    """Those without an answer."""
    return [p for p in asked if not (values.entry(p.id).is_filled or values.entry(p.id).is_declared)]


def _is_untouched(finding: Finding, document: Document) -> bool:
    """Whether nobody has written at the field of a finding yet."""
    return document.values(finding.task).entry(finding.check.parameter).state is State.BLANK


def count(findings: list[Finding], document: Document) -> dict[str, int]:
    """Numbers of errors, warnings, hints and answers; an error at a field without a word is one to fill in."""
    errors = [finding for finding in findings if finding.severity == "error"]
    to_fill = sum(_is_untouched(finding, document) for finding in errors)
    return {
        "errors": len(errors) - to_fill,
        "to_fill": to_fill,
        "warnings": sum(finding.severity == "warning" and not finding.is_answered for finding in findings),
        "hints": sum(finding.severity == "info" and not finding.is_answered for finding in findings),
        "answered": sum(finding.is_answered for finding in findings),
    }
