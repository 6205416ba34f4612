"""What has been ranked: immutable versions, when each of them stood, what is still to be computed, and what follows."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from challenges.models import Phase
from work.models import Work


class RankingVersion(models.Model):
    """The ranking of a phase from one set of inputs: a pure function of them, computed once and never edited.

    What a page shows is in the row (`table`, `sentences`); the full ranking document, which grows with the square of the
    number of teams, is a file in the private storage. What is drawn from it is an `Analysis`.

    Stored form of the names: where the registered policy of the phase names every team (`Phase.Announcement.ALL`), the row,
    its files and its digests contain the names of the teams. For every other policy they contain the pseudonyms of
    `leaderboards.models.Pseudonym`, and `inputs["pseudonyms"]` is ``"phase"``. Versions without that key contain the names
    of their time, keep their digests, and are withheld from the public as soon as one of their teams may not be named.
    Pages and files show `leaderboards.queries.names.shown`, never the row itself.
    """

    shown_names: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Pseudonym → name of the teams that are named in this copy; empty in a version as it is stored."""

    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="rankings")
    number = models.PositiveIntegerField()
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    inputs = models.JSONField(help_text="assessment digest, versions and, team by team, the result that counted")
    inputs_digest = models.CharField(max_length=64)
    assessment_digest = models.CharField(max_length=64)
    seed = models.PositiveBigIntegerField()
    bootstrap = models.PositiveIntegerField()
    cases = models.PositiveIntegerField()
    digest = models.CharField(max_length=64, help_text="SHA-256 of the ranking document")
    versions = models.JSONField(default=dict)
    sentences = models.JSONField(default=dict, help_text="order → what it says")
    table = models.JSONField(help_text="what the pages show, see evaluation.boards")
    document_name = models.CharField(max_length=200, help_text="the ranking document in the private storage")
    metadata_name = models.CharField(
        max_length=200, blank=True, help_text="the case metadata that it depends on, in the private storage"
    )

    class Meta:
        ordering = ["phase", "number"]
        constraints = [
            models.UniqueConstraint(fields=["phase", "number"], name="leaderboards_version_number_once"),
            models.UniqueConstraint(fields=["phase", "inputs_digest"], name="leaderboards_version_inputs_once"),
        ]

    def __str__(self) -> str:
        return f"{self.phase}, version {self.number}"

    @property
    def teams(self) -> int:
        """How many teams are ranked."""
        return len(self.inputs["teams"])

    @property
    def is_over_sites(self) -> bool:
        """Whether it was pooled from summaries of sites: then there are no results of single cases."""
        return "federation" in self.inputs


class Standing(models.Model):
    """From when a version was the ranking of its phase, and why; the last one is the current ranking.

    A version can stand again (a re-run that is withdrawn), so this is kept apart from the version itself.
    """

    class Cause(models.TextChoices):
        SCORE = "score", "a submission was scored"
        RERUN = "rerun", "a submission was scored again"
        CLOSED = "closed", "the phase closed"
        CHANGE = "change", "the teams or the submissions that count changed"
        REQUEST = "request", "an organizer asked for it"

    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="standings")
    version = models.ForeignKey(RankingVersion, on_delete=models.PROTECT, related_name="standings")
    since = models.DateTimeField(default=timezone.now, editable=False)
    cause = models.CharField(max_length=10, choices=Cause)
    changes = models.JSONField(default=dict, help_text="teams added, removed and changed against the standing before")

    class Meta:
        ordering = ["phase", "since", "pk"]
        indexes = [models.Index(fields=["phase", "since"])]

    def __str__(self) -> str:
        return f"{self.version} since {self.since:%Y-%m-%d %H:%M:%S}"


class RankingRequest(Work):
    """Whether a phase has to be ranked again: due as long as more was requested than computed.

    Counting requests (rather than a flag that is cleared) makes a worker that dies half-way lose nothing, and lets any
    number of requests that arrive during one computation be answered by the next one.
    """

    phase = models.OneToOneField(Phase, on_delete=models.CASCADE, related_name="ranking_request")
    requested = models.PositiveIntegerField(default=0)
    computed = models.PositiveIntegerField(default=0)
    requested_at = models.DateTimeField(default=timezone.now)
    cause = models.CharField(max_length=10, choices=Standing.Cause, default=Standing.Cause.SCORE)
    progress = models.JSONField(default=list, help_text="tables ranked so far and their number, while one is computed")
    nothing_counts = models.BooleanField(
        default=False, help_text="when it was last computed, no result counted: whatever stood before stands no more"
    )
    begun = models.JSONField(
        default=dict,
        blank=True,
        help_text="of a ranking that is computed in slices: digest and runs of its inputs, and what it answers",
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(computed__lte=F("requested")), name="leaderboards_computed_was_requested"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.phase}: {self.computed} of {self.requested}"

    @property
    def is_due(self) -> bool:
        return self.requested > self.computed


class Freeze(models.Model):
    """The public ranking of a phase stops moving some hours before the phase closes, so that nobody steers by it to the end."""

    phase = models.OneToOneField(Phase, on_delete=models.CASCADE, related_name="freeze")
    hours = models.PositiveSmallIntegerField(
        help_text="so long before the phase closes the public ranking stops moving"
    )

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(hours__gt=0), name="leaderboards_freeze_has_hours"),
        ]

    def __str__(self) -> str:
        return f"{self.phase}, frozen {self.hours} hours before the end"

    @property
    def moment(self) -> datetime:
        """From when on the public sees no newer ranking."""
        return self.phase.ends_at - timedelta(hours=self.hours)

    @property
    def holds(self) -> bool:
        """Whether newer rankings are held back at this moment."""
        return self.moment <= timezone.now() and not self.phase.is_closed


class FollowUp(Work):
    """What follows the rankings of a phase: due as long as more of them ended than were followed up.

    It is asked for in the transaction that ends a ranking, so that none is forgotten when a worker dies in between.
    """

    phase = models.OneToOneField(Phase, on_delete=models.CASCADE, related_name="follow_up")
    requested = models.PositiveIntegerField(default=0, help_text="how many rankings ended, whatever came of them")
    done = models.PositiveIntegerField(default=0, help_text="how many of them were followed up")
    requested_at = models.DateTimeField(default=timezone.now)
    is_ranked = models.BooleanField(default=False, help_text="whether one of those left gave a ranking that stands")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(done__lte=F("requested")), name="leaderboards_followed_was_requested"),
        ]

    def __str__(self) -> str:
        return f"{self.phase}: {self.done} of {self.requested} followed up"

    @property
    def is_due(self) -> bool:
        return self.requested > self.done
