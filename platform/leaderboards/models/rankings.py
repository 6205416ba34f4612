"""Rankings: immutable versions, their times as current ranking, pending computations and follow-ups."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from challenges.models import Phase
from core.work.models import Work


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
    hides_cases: ClassVar[bool] = False
    """True in a copy for readers to whom no sentence may name a single case."""
    names_cases: ClassVar[bool] = False
    """True in such a copy if a sentence of the stored version names a single case."""

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
        """Number of ranked teams."""
        return len(self.inputs["teams"])

    @property
    def is_over_sites(self) -> bool:
        """True if the ranking was pooled from summaries of sites, and has no results of single cases."""
        return "federation" in self.inputs


class Standing(models.Model):
    """Start and reason of the time in which a version was the current ranking of its phase.

    The last row is the current ranking.
    A version can become current again after a re-run is withdrawn.
    This information is therefore stored separately from the version.
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
    """Request to rank a phase again, due while more was requested than computed.

    The number of requests is counted, instead of a flag that is cleared.
    A worker that dies during the computation therefore loses nothing.
    Any number of requests that arrive during one computation are answered by the next.
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
    """Freeze of a phase's public ranking for some hours before the phase closes.

    No team can therefore adapt to the ranking until the end.
    """

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
        """True if newer rankings are currently withheld."""
        return self.moment <= timezone.now() and not self.phase.is_closed


class FollowUp(Work):
    """Follow-up to the rankings of a phase, due while more rankings ended than were followed up.

    It is requested in the transaction that ends a ranking.
    None is therefore lost if a worker dies in between.
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
