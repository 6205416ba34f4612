"""Picture of a ranking that other sites show next to a link to it."""

from pathlib import Path

from django.contrib.auth.models import AnonymousUser
from django.contrib.staticfiles import finders
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from challenges.queries import label_of
from evaluation import boards
from evaluation.boards.picture import Fonts, Strip, share_picture
from leaderboards.domain.badge import badge as draw_badge
from leaderboards.queries.names import is_pseudonym
from leaderboards.views.place import SEALED, find

DISPLAY = "vendor/source-serif-4/source-serif-4-latin-600.woff2"
WITHDRAWN = "This ranking was withdrawn. No team is ranked."
TEXT = "vendor/source-sans-3/source-sans-3-latin-wght-normal.woff2"


@require_safe
def picture(request: HttpRequest, slug: str, key: str, number: int) -> HttpResponse:
    """Draw the first teams of a ranking version in its public view, for every visitor."""
    request.user = AnonymousUser()
    leaderboard = find(request, slug, key)
    if not leaderboard.may_view:
        raise PermissionDenied(SEALED)
    version = leaderboard.version(number)
    standing = leaderboard.standing()
    board = boards.board(version.table)
    sentences = boards.spoken(board.order, version.sentences[board.order["key"]], closed=leaderboard.phase.is_closed)
    is_current = standing is not None and standing.version_id == version.pk
    label = "" if is_current or standing is None else f", version {number}, not the current ranking"
    png = share_picture(
        title=leaderboard.challenge.title,
        phase=f"{label_of(leaderboard.phase)}{label}",
        sentence=sentences[0] if standing is not None else WITHDRAWN,
        strips=[_strip(row) for row in board.rows] if standing is not None else [],
        more=board.teams - len(board.rows) if standing is not None else 0,
        axis=board.axis,
        fonts=Fonts(_file(DISPLAY), _file(TEXT)),
    )
    answer = HttpResponse(png, content_type="image/png")
    # A version never changes; who may see it, and which teams are named, can.
    answer["Cache-Control"] = "public, no-cache"
    return answer


@require_safe
def badge(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Draw the rank of a team (`?team=`) in the current ranking, as every visitor sees it.

    A team that is not named, and a ranking that is sealed or withdrawn, have no badge.
    """
    request.user = AnonymousUser()
    leaderboard = find(request, slug, key)
    standing = leaderboard.standing() if leaderboard.may_view else None
    team = request.GET.get("team", "")
    rows = boards.board(standing.version.table, search=team).rows if standing is not None else ()
    row = next((entry for entry in rows if entry.team == team and not is_pseudonym(team)), None)
    if row is None:
        raise Http404("There is no such badge.")
    rank_set = None if row.set_low is None or row.set_high is None else (row.set_low, row.set_high)
    title = f"{leaderboard.challenge.title}, {label_of(leaderboard.phase)}"
    answer = HttpResponse(draw_badge(title, row.rank_text, rank_set), content_type="image/svg+xml")
    answer["Cache-Control"] = "public, no-cache"
    return answer


def _strip(row: boards.Row) -> Strip:
    return Strip(
        team=row.team,
        rank=row.rank,
        rank_text=row.rank_text,
        set_ends=None if row.set_low is None or row.set_high is None else (row.set_low, row.set_high),
        range_ends=None if row.low is None or row.high is None else (row.low, row.high),
    )


def _file(name: str) -> Path:
    path = finders.find(name)
    if path is None:
        raise Http404("The fonts of this site are not there.")
    return Path(str(path))
