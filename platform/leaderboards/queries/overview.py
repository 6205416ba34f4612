"""The rankings of one phase in all tasks of a challenge, as one person may see them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from challenges.models import Phase
from datastore.test_sets.queries.decoys import remember_decoys
from evaluation import figures
from evaluation.claims.catalogue import Said
from evaluation.claims.legend import NOT_OVER_TASKS, OverTasks
from evaluation.ranking.tasks import across_tasks
from leaderboards.queries import names
from leaderboards.queries.current import current_tables, frozen_moments
from web.spreadsheets import harmless

CONSENSUS_READING = """The larger a circle, the more tasks give the team that rank. Teams stand in the order of their mean rank
over the tasks; the cross is the median."""
CLUSTERS_READING = """The lower two tasks are joined, the more alike they rank (Spearman’s footrule, complete linkage). Only
ranks enter; how hard a task is does not."""
FIGURES = {
    "consensus": ("How does each team rank over the tasks?", CONSENSUS_READING),
    "clusters": ("Which tasks rank the teams alike?", CLUSTERS_READING),
}
FEWEST_TO_CLUSTER = 3


@dataclass(frozen=True)
class Overview:
    """Ranks by task.

    Attributes
    ----------
    ranks
        For each task with a ranking that the person may see, the rank of every team in what decides that task.
    hidden
        Names of the tasks whose ranking is sealed for the person or not there yet.
    unnamed
        Whether teams are absent because they are not named: ranks side by side would link their pseudonyms.
    """

    ranks: dict[str, dict[str, float]]
    hidden: tuple[str, ...]
    unnamed: bool = False

    @cached_property
    def shared(self) -> list[str]:
        """Teams that every task ranks: only they can be compared."""
        return sorted(set.intersection(*map(set, self.ranks.values()))) if self.ranks else []

    @cached_property
    def others(self) -> list[str]:
        """Teams that some task does not rank."""
        return sorted(set().union(*self.ranks.values()) - set(self.shared)) if self.ranks else []

    @property
    def not_in_it(self) -> list[Said]:
        """Sentence about the missing tasks, empty if no task is missing."""
        return NOT_OVER_TASKS.all(OverTasks(hidden=self.hidden))

    @property
    def is_comparable(self) -> bool:
        return len(self.ranks) > 1 and len(self.shared) > 1

    @cached_property
    def document(self) -> dict[str, Any]:
        """Part of a ranking document that the comparison of tasks needs."""
        rankings = [
            {
                "task": task,
                "algorithms": [
                    {"name": name, "rank": ranks[name]} for name in sorted(self.shared, key=ranks.__getitem__)
                ],
            }
            for task, ranks in self.ranks.items()
        ]
        return {"rankings": rankings, "overall": None}

    @cached_property
    def across(self) -> dict[str, Any]:
        """Data of the figures: distances of tasks, clusters, and the rank frequencies of each team."""
        return across_tasks(self.document)

    @property
    def side_by_side(self) -> list[tuple[str, list[tuple[str, float]]]]:
        """Teams in the order of their names, each with its ranks by task: only a registered step combines tasks."""
        return [(team, [(task, ranks[team]) for task, ranks in self.ranks.items()]) for team in self.shared]

    def can_draw(self, name: str) -> bool:
        """Return whether the data is sufficient for a figure."""
        return self.is_comparable and (
            name == "consensus" or (name == "clusters" and len(self.ranks) >= FEWEST_TO_CLUSTER)
        )

    def draw(self, name: str) -> figures.layout.Figure:
        """A figure as Plotly JSON."""
        if name == "clusters":
            return figures.dendrogram(self.across)
        return figures.blob_across_tasks(self.document, self.across)

    def rows(self) -> Iterator[list[Any]]:
        """Head and rows of the table as a file."""
        yield ["team", *self.ranks]
        if self.is_comparable:
            for team, ranks in self.side_by_side:
                yield [harmless(team), *(int(rank) if float(rank).is_integer() else rank for _, rank in ranks)]


def of_phases(phases: Sequence[Phase], *, user: Any) -> Overview:
    """Return the ranks in the current ranking of each phase that the person can see."""
    remember_decoys(phases)
    visible = [phase for phase in phases if user.has_perm("leaderboards.view_ranking", phase)]
    tables = current_tables(visible, frozen_moments(visible, user))
    ranks: dict[str, dict[str, float]] = {}
    unnamed = False
    for phase in visible:
        if phase.pk in tables:
            table = names.shown_table(phase, tables[phase.pk])
            places = zip(table["teams"], table["orders"][0]["rank"], strict=True)
            placed = {team: rank for team, rank in places if rank is not None}
            ranks[phase.task.name] = {team: rank for team, rank in placed.items() if not names.is_pseudonym(team)}
            unnamed |= len(ranks[phase.task.name]) < len(placed)
    hidden = tuple(phase.task.name for phase in phases if phase.task.name not in ranks)
    return Overview(ranks, hidden, unnamed)
