"""Section of the home page about rankings.

Participants see the ranking status of their teams.
Visitors see a real ranking, preferably of a closed phase.
"""

from django.http import HttpRequest
from django.template.loader import render_to_string

from evaluation import boards
from leaderboards.queries.home import challenges_of, shown_to_visitors

DRAWN = 7
"""Number of teams in the picture."""


def my_challenges(request: HttpRequest) -> str:
    """The challenges in which the person takes part, as HTML."""
    return render_to_string("leaderboards/home_section.html", {"takings": challenges_of(request.user)}, request)


def real_ranking(request: HttpRequest) -> str | None:
    """The first teams of a public ranking, drawn; nothing while there is none."""
    public_ranking = shown_to_visitors(request.user)
    if public_ranking is None:
        return None
    phase, key, version = public_ranking
    board = boards.board(version.table)
    sentences = boards.spoken(board.order, version.sentences[board.order["key"]], closed=phase.is_closed)
    content = {"phase": phase, "key": key, "board": board, "rows": board.rows[:DRAWN], "said": sentences[0]}
    return render_to_string("leaderboards/home_picture.html", content, request)
