"""A platform in use: a call with a decision, a registration with a launched challenge, and a scored and ranked phase."""

from dataclasses import dataclass
from pathlib import Path

from challenges.services import close_phase
from challenges.services.participation import set_terms
from challenges.services.roles import set_standing
from core.audit.transactions import unit
from evaluation.designs.document import Entry, State
from submissions.models import Submission
from submissions.services.methods import describe
from tests.integration.changes import world as registered
from tests.integration.leaderboards.world import rank
from tests.integration.submissions import world as scored
from tests.integration.submissions.world import predictions, zipped
from tests.unit.reviews import world as reviewed


@dataclass
class World:
    """The parts, each with its own people."""

    reviews: reviewed.World
    changes: registered.World
    blocks: scored.World
    submission: Submission


def build(folder: Path) -> World:
    """Make it as the platform's own processes would: all that is written is sealed."""
    with unit("test"):
        reviews = reviewed.build()
        reviews.under_review()
        for name in ("r1", "r2", "clara"):
            reviews.send(name)
        reviews.decide("accept")
        changes = registered.build()
        blocks = scored.build(folder / "references")
        set_terms(
            actor=blocks.organizer, challenge=blocks.challenge, agreement="", requires_approval=False, team_size=3
        )
        first = blocks.upload(zipped(predictions(1)))
        blocks.upload(zipped(predictions(2)), team=blocks.bos)
        first.refresh_from_db()
        # Both teams in one ranking, whatever the pause between two rankings is.
        rank(blocks.phase)
        describe(actor=blocks.ada, submission=first, entries={"motivation": Entry("An idea", State.PROVIDED)})
    return World(reviews, changes, blocks, first)


def go_on(world: World) -> None:
    """Disqualify a team and close the phase."""
    blocks = world.blocks
    with unit("test"):
        set_standing(actor=blocks.organizer, teams=[blocks.bos], standing="disqualified", reason="Two accounts.")
        close_phase(actor=blocks.organizer, phase=blocks.phase)
