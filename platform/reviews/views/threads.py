"""Points and discussions."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from evaluation.designs.catalogue import shipped
from reviews import queries, rules
from reviews.forms import PointForm
from reviews.models import Side
from reviews.queries import readers
from reviews.services import talk
from reviews.views.access import filing_context, filing_for
from reviews.views.filings import reader_of

# Between parameter and task in the chairs' choice of a place.
PLACE = "|"


@login_required
def points(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """All points that the person sees; reviewers and chairs raise new ones."""
    filing = filing_for(request, slug, number)
    reader, assignment = reader_of(request, filing)
    if request.method == "POST":
        if reader == Side.ORGANIZER:
            raise PermissionDenied("Organizers answer points; reviewers raise them.")
        data = request.POST.copy()
        if "place" in data:
            data["parameter"], _, data["task_key"] = str(data["place"]).partition(PLACE)
        form = PointForm(data)
        if form.is_valid():
            try:
                talk.open_thread(actor=request.user, filing=filing, assignment=assignment, **form.cleaned_data)
            except ValidationError as error:
                messages.error(request, " ".join(error.messages))
        else:
            messages.error(request, "Write what should change first.")
        if request.headers.get("HX-Request"):
            return _place(request, filing, reader, assignment, form.data)
        return _back(request, filing)
    threads = _visible(filing, reader, assignment)
    return render(
        request,
        "reviews/points.html",
        {
            **filing_context(request, filing, "points"),
            "threads": readers.threads_shown(threads, filing, reader),
            "reader": reader,
            "places": readers.places_of(filing, PLACE) if reader == Side.CHAIR and talk.is_open(filing) else [],
        },
    )


@login_required
@require_POST
def reply(request: HttpRequest, slug: str, number: int, pk: int) -> HttpResponse:
    """Comment on a point, resolve or reopen it, or set whether it is blocking."""
    filing = filing_for(request, slug, number)
    reader, assignment = reader_of(request, filing)
    thread = _visible(filing, reader, assignment).filter(pk=pk).first()
    if thread is None:
        raise Http404("There is no such point.")
    thread.filing = filing
    act = request.POST.get("act", "comment")
    if reader == Side.ORGANIZER and act != "comment":
        raise PermissionDenied("Reviewers and chairs settle points.")
    try:
        if act == "comment":
            talk.add_comment(
                actor=request.user,
                thread=thread,
                side=reader,
                assignment=assignment,
                text=request.POST.get("text", ""),
            )
        elif act in ("resolve", "reopen"):
            talk.settle(actor=request.user, thread=thread, resolved=act == "resolve")
        elif act in ("block", "unblock"):
            if assignment is not None and thread.assignment_id != assignment.pk:
                raise PermissionDenied("Who raised a point, or a chair, says whether it blocks.")
            talk.set_blocking(actor=request.user, thread=thread, is_blocking=act == "block")
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    if request.headers.get("HX-Request"):
        return _place(request, filing, reader, assignment, {"parameter": thread.parameter, "task_key": thread.task_key})
    return _back(request, filing)


@login_required
@require_POST
def discuss(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Add an entry to the discussion of reviewers and chairs."""
    filing = filing_for(request, slug, number, rules.chairs, rules.reviews)
    reader, assignment = reader_of(request, filing)
    if assignment is not None and not queries.sees_others(assignment):
        raise PermissionDenied("Send your own review first.")
    try:
        talk.discuss(actor=request.user, filing=filing, assignment=assignment, text=request.POST.get("text", ""))
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    if reader == Side.REVIEWER:
        return redirect("reviews:verdict", slug, number)
    return redirect("reviews:filing", slug, number)


def _visible(filing, reader, assignment):
    if reader == Side.REVIEWER:
        return queries.threads_for_reviewer(assignment)
    return queries.threads_of(filing) if reader == Side.CHAIR else queries.threads_for_organizers(filing)


def _place(request, filing, reader, assignment, data) -> HttpResponse:
    """The points of one parameter, for HTMX."""
    parameter, task_key = data.get("parameter", ""), data.get("task_key", "")
    threads = _visible(filing, reader, assignment).filter(parameter=parameter, task_key=task_key)
    return render(
        request,
        "reviews/parts/place.html",
        {
            "call": filing.call,
            "filing": filing,
            "field": {
                "parameter": shipped().parameters.get(parameter),
                "parameter_id": parameter,
                "task_key": task_key,
                "key": f"{parameter}-{task_key}" if task_key else parameter,
                "threads": readers.threads_shown(threads, filing, reader),
            },
            "may_raise": reader != Side.ORGANIZER and talk.is_open(filing),
            "reader": reader,
            "messages_here": list(messages.get_messages(request)),
        },
    )


def _back(request: HttpRequest, filing) -> HttpResponse:
    """Redirect to the page that contained the form."""
    to = request.POST.get("next", "")
    if to and url_has_allowed_host_and_scheme(to, allowed_hosts={request.get_host()}):
        return redirect(to)
    return redirect("reviews:points", filing.call.slug, filing.number)
