"""Registered rankings over several tasks, as one person may see them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from challenges.models import Phase
from evaluation.claims.catalogue import Said
from evaluation.claims.legend import NOT_OVER_TASKS, OverTasks
from evaluation.claims.ranking import headline_of, letters_of
from evaluation.figures.layout import interval_words, number, rank_words
from evaluation.wording import joined
from leaderboards.models import OverallRanking, Standing
from leaderboards.queries import names, rankings
from leaderboards.queries.current import current_standing


@dataclass(frozen=True)
class OverallRow:
    """Row of a team over all tasks, as text."""

    rank: str
    team: str
    rank_set: str
    interval: str
    score: str
    letters: str
    share_first: float | None


@dataclass(frozen=True)
class OverallView:
    """Registered ranking over tasks, as shown on a page.

    Attributes
    ----------
    stored
        The last computed ranking; ``None`` while a task has no ranking.
    rows
        Empty if the registered rule gives no ranking. `problem` of `stored` then contains the reason.
    is_current
        Whether it is made of the current rankings.
    steps
        Text of the registered steps.
    headline
        The leading team, and whether that is certain; empty without rows.
    left_out
        Teams that some task does not rank, with these tasks.
    """

    name: str
    stored: OverallRanking | None
    rows: tuple[OverallRow, ...]
    is_current: bool
    steps: str
    headline: str = ""
    left_out: tuple[Any, ...] = ()

    @property
    def lacking(self) -> list[Said]:
        """Sentence about the missing teams and the tasks that each lacks, empty if no team is missing."""
        return NOT_OVER_TASKS.all(OverTasks(left_out=self.left_out))

    @property
    def lettered(self) -> bool:
        """True if letters are shown next to the ranks."""
        return any(row.letters for row in self.rows)


def over_tasks(phases: Sequence[Phase], *, user: Any) -> list[OverallView]:
    """The registered rankings over the tasks of phases of one short name; none that a person may not see whole."""
    if not phases:
        return []
    challenge, slug = phases[0].challenge, phases[0].slug
    frozen = [phase for phase, freeze in rankings.freezes_of(phases) if freeze.holds]
    hidden = {phase.task.design_key for phase in phases if not user.has_perm("leaderboards.view_ranking", phase)}
    hidden |= {phase.task.design_key for phase in frozen if not user.has_perm("leaderboards.view_frozen", phase)}
    by_key = {phase.task.design_key: phase for phase in phases}
    views = []
    for registered in challenge.overall_rankings:
        if hidden & set(registered["tasks"]):
            continue
        stored = OverallRanking.objects.filter(challenge=challenge, phase_slug=slug, name=registered["name"]).last()
        used = [by_key[key] for key in registered["tasks"] if key in by_key]
        # As long as a task has no current ranking there is none over the tasks.
        standings = {phase.task.design_key: current_standing(phase) for phase in used}
        if stored is not None and (None in standings.values() or not names.is_open_over_tasks(stored, used)):
            stored = None
        views.append(_view(registered, stored, by_key, names.shown_names_over_tasks(used), standings))
    return views


def _view(
    registered: Mapping[str, Any],
    stored: OverallRanking | None,
    phases: Mapping[str, Phase],
    shown_names: Mapping[str, str],
    standings: Mapping[str, Standing | None],
) -> OverallView:
    closed = all(phases[key].is_closed for key in registered["tasks"] if key in phases)
    document = names.substitute(stored.document, shown_names) if stored is not None else {}
    entry = document.get("overall")
    algorithms = (entry or {}).get("algorithms", ())
    rows = tuple(
        OverallRow(
            rank=rank_words(algorithm["rank"]),
            team=algorithm["name"],
            rank_set=interval_words(algorithm["rank_set"]) if algorithm.get("rank_set") else "–",
            interval=interval_words(algorithm["rank_interval"]) if algorithm.get("rank_interval") else "–",
            score=number(algorithm["score"]),
            letters=letters,
            share_first=algorithm.get("share_first"),
        )
        for algorithm, letters in zip(algorithms, letters_of(entry) if entry else (), strict=True)
    )
    return OverallView(
        name=registered["name"],
        stored=stored,
        rows=rows,
        is_current=stored is not None and _is_current(registered, stored, standings),
        steps=steps_in_words(registered["steps"]),
        headline="" if stored is None or entry is None else headline_of(entry, document, closed=closed),
        left_out=tuple(entry for entry in document.get("left_out", ()) if not names.is_pseudonym(entry["name"])),
    )


def _is_current(
    registered: Mapping[str, Any], stored: OverallRanking, standings: Mapping[str, Standing | None]
) -> bool:
    if stored.inputs["registered"] != registered:
        return False
    for task in stored.inputs["tasks"]:
        standing = standings.get(task["task"])
        if standing is None or standing.version.digest != task["digest"]:
            return False
    return True


def steps_in_words(steps: Sequence[Mapping[str, Any]]) -> str:
    """Describe the steps of a combination.

    Examples
    --------
    >>> steps_in_words([{"over": ["metric", "region", "task"], "operator": "mean", "rerank": True}])
    'Mean of the ranks over metrics, regions and tasks, then ranked again.'
    """
    sentences = []
    for step in steps:
        over = joined([f"{name}s" for name in step["over"]])
        weighted = "Weighted mean" if step.get("weights") else str(step["operator"]).capitalize()
        sentences.append(f"{weighted} of the ranks over {over}, then ranked again.")
    return " ".join(sentences)
