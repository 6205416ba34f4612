"""Reading reports."""

from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from challenges.models import Challenge
from challenges.queries import phases_of, visible_challenge
from challenges.views import challenge_context
from leaderboards.queries.rankings import key_of
from reports.domain.content import Status, items_of, shown_paragraphs
from reports.domain.paper.composing import made_from
from reports.domain.presenting import chapters_of, paper_views
from reports.exposure import services as judging
from reports.exposure.queries.audience import Audience
from reports.exposure.queries.facts import collect
from reports.models import Report
from reports.queries import reports
from reports.queries.outdated import outdated_rankings
from reports.services import storing
from reports.services.exports import FORMATS, paper_of
from reports.services.exports.marking import marked
from web.spreadsheets import csv_file

TAB: Final = "reports:index"
PARTS: Final = {
    "deviations": "Deviations from the registered design",
    "exposure": "Exposure to manipulation",
    "checklist": "Checklist of the BIAS guideline",
}


def context_of(request: HttpRequest, challenge: Challenge) -> dict[str, Any]:
    """Return the template context shared by all report pages."""
    return {
        **challenge_context(request, challenge),
        "active_tab": TAB,
        "may_write": request.user.has_perm("reports.write_report", challenge),
    }


@require_safe
def index(request: HttpRequest, slug: str) -> HttpResponse:
    """The published report, and the ways to the others."""
    challenge = visible_challenge(request.user, slug)
    settings = reports.settings_of(challenge)
    context = context_of(request, challenge)
    phases = phases_of(challenge)
    context["team_phases"] = [
        {"phase": phase, "url": reverse("reports:team", args=[slug, key_of(phase, phases)])} for phase in phases
    ]
    published = settings.published if settings is not None else None
    if published is not None and request.user.has_perm("reports.view_report", published):
        context |= _overview(challenge, published) | {"settings": settings}
    return render(request, "reports/index.html", context)


@require_safe
def report(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Overview of one report: its chapters, score and files; or how far it has got."""
    challenge = visible_challenge(request.user, slug)
    viewed_report = reports.report_of(request.user, challenge, number)
    context = context_of(request, challenge)
    context |= _overview(challenge, viewed_report) if viewed_report.is_done else {"report": viewed_report}
    return render(request, "reports/report.html", context)


@require_safe
def paper(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """A report from its title to its sources, as its files have it."""
    challenge = visible_challenge(request.user, slug)
    viewed_report = reports.report_of(request.user, challenge, number)
    if not viewed_report.is_done:
        raise Http404("This report is not finished.")
    content = storing.read_content(viewed_report.content_name)
    if not _is_paper(content):
        raise Http404("This report was made before reports were papers; its chapters have all of it.")

    def source(file: str) -> str:
        return reverse("reports:file", args=[challenge.slug, viewed_report.number, file])

    context = context_of(request, challenge) | {
        "report": viewed_report,
        "content": content,
        "blocks": paper_views(paper_of(content), source),
        "outdated": outdated_rankings(viewed_report),
    }
    return render(request, "reports/paper.html", context)


@require_safe
def chapter(request: HttpRequest, slug: str, number: int, key: str) -> HttpResponse:
    """A chapter of a report."""
    challenge = visible_challenge(request.user, slug)
    viewed_report = reports.report_of(request.user, challenge, number)
    if not viewed_report.is_done:
        raise Http404("This report is not finished.")
    content = storing.read_content(viewed_report.content_name)
    context = {**context_of(request, challenge), **_overview(challenge, viewed_report, content), "key": key}
    chapter_keys = {entry["key"] for entry in content["chapters"]}
    if key in PARTS and content["exposure"] is not None:
        context |= {"part": key, "part_title": PARTS[key], "all_chapters": _chapters(challenge, viewed_report, content)}
    elif key in chapter_keys:
        context["chapter"] = _chapters(challenge, viewed_report, content, only=key)[0]
    else:
        raise Http404("This report has no such chapter.")
    return render(request, "reports/chapter.html", context)


@require_safe
@cache_control(private=True, no_cache=True)
def progress(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the progress of a report, as a fragment that reloads until the report is finished."""
    challenge = visible_challenge(request.user, slug)
    viewed_report = reports.report_of(request.user, challenge, number)
    context = {
        "report": viewed_report,
        "challenge": challenge,
        "may_write": request.user.has_perm("reports.write_report", challenge),
    }
    return render(request, "reports/parts/progress.html", context)


@require_safe
@cache_control(private=True, no_cache=True)
@vary_on_headers("Cookie")
def file(request: HttpRequest, slug: str, number: int, name: str) -> HttpResponse:
    """A file of a report: a format to take away, or a figure."""
    challenge = visible_challenge(request.user, slug)
    viewed_report = reports.report_of(request.user, challenge, number)
    stored = viewed_report.files.get(name)
    if stored is None:
        raise Http404("This report has no such file.")
    data = storing.read(stored)
    if name in FORMATS:
        outdated = outdated_rankings(viewed_report)
        mark = "-outdated" if outdated else ""
        kind, stem = FORMATS[name][0], f"{challenge.slug}-report-{viewed_report.number}{mark}.{name}"
        data = marked(data, name, outdated)
    else:
        kind, stem = {"svg": "image/svg+xml", "png": "image/png"}[name.rsplit(".", 1)[1]], f"{challenge.slug}-{name}"
    response = HttpResponse(data, content_type=kind)
    inline = "download" not in request.GET and name not in FORMATS
    response["Content-Disposition"] = f'{"inline" if inline else "attachment"}; filename="{stem}"'
    return response


@require_safe
def checklist_csv(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """The checklist of the guideline as CSV."""
    challenge = visible_challenge(request.user, slug)
    viewed_report = reports.report_of(request.user, challenge, number)
    if not viewed_report.is_done or viewed_report.kind != Report.Kind.CHALLENGE:
        raise Http404("This report has no checklist.")
    content = storing.read_content(viewed_report.content_name)
    chapter_of = {item["number"]: entry["title"] for entry in content["chapters"] for item in entry["items"]}
    rows = [
        [item["number"], item["title"], Status(item["status"]).label, chapter_of[item["number"]]]
        for item in items_of(content)
    ]
    head = ["item", "title", "status", "chapter"]
    return csv_file(f"{challenge.slug}-report-{viewed_report.number}-checklist.csv", head, rows)


@require_safe
def exposure(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the exposure of the challenge to manipulation, based on facts that the reader can see."""
    challenge = visible_challenge(request.user, slug)
    context = context_of(request, challenge)
    audience = Audience.ORGANIZERS if context["may_write"] else Audience.PUBLIC
    facts = collect(challenge, audience=audience, chosen=reports.chosen_design(challenge), with_methods=False)
    findings = judging.exposure(facts)
    context |= {
        "findings": findings,
        "summary": judging.summary(findings),
        "total": len(findings),
        "execution": judging.execution(facts),
        "audience": str(audience),
    }
    return render(request, "reports/exposure.html", context)


def _is_paper(content: dict[str, Any]) -> bool:
    """Return whether a report has the structure of a paper.

    Reports of challenges from older versions have no results in this form.
    """
    return not content["score"] or "results" in content


def _overview(challenge: Challenge, viewed_report: Report, content: dict[str, Any] | None = None) -> dict[str, Any]:
    content = storing.read_content(viewed_report.content_name) if content is None else content
    parts = PARTS if content["exposure"] is not None else {}
    abstract = [
        {"title": title, "text": text}
        for paragraph in (shown_paragraphs(item) for item in items_of(content) if item["number"] == "2")
        for title, _, text in (
            " ".join(sentence["text"] for sentence in part).partition(": ") for part in paragraph if part
        )
    ]
    entries = [*((entry["key"], entry["title"]) for entry in content["chapters"]), *parts.items()]
    return {
        "report": viewed_report,
        "content": content,
        "outdated": outdated_rankings(viewed_report),
        "abstract": [part for part in abstract if part["text"]],
        "is_paper": _is_paper(content),
        "headline": made_from(content),
        "contents": [
            {
                "key": key,
                "title": title,
                "url": reverse("reports:chapter", args=[challenge.slug, viewed_report.number, key]),
            }
            for key, title in entries
        ],
        "formats": [
            {"label": label, "url": reverse("reports:file", args=[challenge.slug, viewed_report.number, name])}
            for name, (_, label) in FORMATS.items()
            if name in viewed_report.files
        ],
    }


def _chapters(challenge: Challenge, viewed_report: Report, content: dict[str, Any], *, only: str = "") -> list[Any]:
    def source(file: str) -> str:
        return reverse("reports:file", args=[challenge.slug, viewed_report.number, file])

    def address(key: str) -> str:
        return reverse("reports:chapter", args=[challenge.slug, viewed_report.number, key])

    return chapters_of(content, source, only=only, address=address)
