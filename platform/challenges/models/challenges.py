"""Challenge → task → phase, and the people in it."""

import json
import secrets
from datetime import datetime
from functools import lru_cache

from django.conf import settings
from django.contrib.contenttypes.fields import GenericRelation
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import cached_property

from accounts.conversations.models import Thread
from accounts.people.models import Invitation
from evaluation.assessment import Assessment, parse
from evaluation.canonical import canonical_json


@lru_cache(maxsize=16)
def _parsed(document: str) -> Assessment:
    return parse(json.loads(document))


class Challenge(models.Model):
    """A challenge that people can take part in."""

    slug = models.SlugField(max_length=80, unique=True)
    title = models.CharField(max_length=200)
    summary = models.CharField(max_length=300, help_text="one sentence")
    description = models.TextField(blank=True, help_text="Markdown")
    data_description = models.TextField(blank=True, help_text="Markdown: what the data are and where they come from")
    rules_text = models.TextField(blank=True, help_text="Markdown: rules of participation")
    contact = models.CharField(max_length=200, blank=True)
    attribution = models.TextField(blank=True, help_text="source and licence of the data")
    agreement = models.TextField(
        blank=True,
        default="",
        help_text="the registered data usage agreement, which everybody accepts before joining",
    )
    overall_rankings = models.JSONField(
        default=list, blank=True, help_text="registered rankings over several tasks, as the design compiles to them"
    )
    is_public = models.BooleanField(default=False)
    is_closed = models.BooleanField(
        default=False, editable=False, help_text="visible to members and invited people only, once submissions are open"
    )
    has_pages = models.BooleanField(default=False, editable=False, help_text="organizers wrote pages of their own")
    logo = models.CharField(max_length=16, blank=True, default="", editable=False, help_text="digest of the logo")
    banner = models.CharField(max_length=16, blank=True, default="", editable=False, help_text="digest of the banner")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    organizers = models.ManyToManyField(
        settings.AUTH_USER_MODEL, through="Organizer", related_name="organized_challenges"
    )
    threads = GenericRelation(Thread)

    class Meta:
        ordering = ["title"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(is_closed=True, is_public=True), name="challenges_closed_ones_are_not_public"
            )
        ]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("challenges:detail", args=[self.slug])

    @property
    def is_for_readers(self) -> bool:
        """True if people other than its organizers may see the challenge: everyone, or those whom a closed one admits."""
        if self.is_public or not self.is_closed:
            return self.is_public
        projection = getattr(self, "projection", None)
        return projection is not None and projection.opened_at is not None

    @cached_property
    def has_several_tasks(self) -> bool:
        """True if names of phases are shown with their tasks, since phases of two tasks can share a name."""
        return self.tasks.count() > 1


class Organizer(models.Model):
    """A person who runs a challenge, or helps with it."""

    class Role(models.TextChoices):
        OWNER = "owner", "owner: everything, also who else organizes"
        MANAGER = "manager", "manager: everything but organizers, disqualification and closing"
        MODERATOR = "moderator", "moderator: announcements and discussion only"

    # Those who see what participants must not see: hidden references, sealed rankings, results of all teams.
    TRUSTED = (Role.OWNER, Role.MANAGER)

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    role = models.CharField(max_length=10, choices=Role, default=Role.OWNER)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["challenge", "user"], name="challenges_organizer_once")]

    def __str__(self) -> str:
        return f"{self.user} organizes {self.challenge}"


class Task(models.Model):
    """One problem to solve, with its own phases and rankings."""

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="tasks")
    slug = models.SlugField(max_length=80)
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    position = models.PositiveSmallIntegerField(default=1)
    design_key = models.CharField(
        max_length=60, blank=True, editable=False, help_text="key of the task in the registered design"
    )
    removed_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="when a registered change took it out; what was there stays"
    )

    class Meta:
        ordering = ["challenge", "position"]
        constraints = [models.UniqueConstraint(fields=["challenge", "slug"], name="challenges_task_slug_unique")]

    def __str__(self) -> str:
        return self.name


class Phase(models.Model):
    """A time in which predictions for one test set are taken, scored and ranked by one assessment document.

    The assessment is kept as filed together with its digest and never edited; rankings name the digest that they ran with.
    """

    class Results(models.TextChoices):
        """Results of its own scored submission that a team sees while the phase is open."""

        CASES = "cases", "own scores, case by case"
        AGGREGATE = "aggregate", "own aggregate only"
        VALIDATION = "validation", "validation only"
        REVEALED = "revealed", "nothing until the results are released"

    class Leaderboard(models.TextChoices):
        PUBLIC = "public", "public from the first score"
        SEALED = "sealed", "sealed until the phase closes"

    class Counts(models.TextChoices):
        """Scored submission of a team that enters the ranking."""

        LAST = "last", "the last one"
        BEST = "best", "the best one"
        CHOSEN = "chosen", "the one that the team chooses before the deadline"

    class Feedback(models.TextChoices):
        """Precision of a team's own aggregate while the phase is open (`evaluation.aggregation.feedback`)."""

        EXACT = "exact", "as computed"
        ROUNDED = "rounded", "rounded to the precision of its standard error"
        LADDER = "ladder", "only when it improves by more than its noise"

    class Announcement(models.TextChoices):
        """Ranked teams that are named in public; all others appear under their pseudonym."""

        ALL = "all", "every ranked team"
        TOP = "top", "teams on the first ranks"
        AGREED = "agreed", "teams that agree in their method description"
        NOT_REFUSED = "not_refused", "teams that do not say otherwise in their method description"

    class MethodLink(models.TextChoices):
        """Link that completes a method description without the requested facts."""

        NONE = "", "no link"
        PUBLICATION = "publication", "a link to a paper or preprint"
        REPOSITORY = "repository", "a link to a code repository"
        EITHER = "either", "a link to a paper, preprint or code repository"

    class Interaction(models.TextChoices):
        """Effect on a ranking of the level of interaction that a method description names."""

        NONE = "", "nothing"
        INDICATED = "indicated", "it stands beside the team"
        WEIGHTED = "weighted", "it stands beside the team, and values are weighted by it"
        SEPARATE = (
            "separate",
            "it stands beside the team, and fully automatic methods are ranked among themselves as well",
        )

    class Entrants(models.TextChoices):
        """Rule for the best teams of an earlier phase."""

        RANK = "rank", "by rank"
        RANK_SET = "rank_set", "by rank, and every team whose rank set reaches these ranks"

    class State(models.TextChoices):
        """State of the acceptance of submissions."""

        UPCOMING = "upcoming", "to come"
        HELD = "held", "held"
        OPEN = "open", "open"
        CLOSED = "closed", "closed"

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="phases")
    slug = models.SlugField(max_length=80)
    name = models.CharField(max_length=200)
    position = models.PositiveSmallIntegerField(default=1)
    opens_at = models.DateTimeField()
    closes_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True, help_text="set when it was closed before its time")
    ended_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="when what follows its end was set going, however it ended"
    )
    submissions_per_day = models.PositiveSmallIntegerField(null=True, blank=True)
    submissions_in_total = models.PositiveSmallIntegerField(null=True, blank=True)
    counts = models.CharField(max_length=10, choices=Counts, default=Counts.LAST)
    results = models.CharField(max_length=12, choices=Results, default=Results.VALIDATION)
    leaderboard = models.CharField(max_length=10, choices=Leaderboard, default=Leaderboard.SEALED)
    reveals_cases = models.BooleanField(
        default=False, help_text="after it closes, teams see pictures of their predictions beside the references"
    )
    incomplete_allowed = models.BooleanField(
        default=True, help_text="a submission may lack cases; they count as missing"
    )
    reveals_at = models.DateTimeField(
        null=True, blank=True, help_text="results and ranking stay hidden until then, also after the phase has closed"
    )
    feedback = models.CharField(max_length=10, choices=Feedback, default=Feedback.EXACT)
    is_dry_run = models.BooleanField(
        default=False, help_text="references are public: for trying everything out, without meaning for any award"
    )
    requires_method = models.BooleanField(
        default=False, help_text="the final ranking has only teams with a complete method description"
    )
    method_facts = models.JSONField(
        default=list, blank=True, help_text="answers that a method description must have; empty: every needed one"
    )
    method_link = models.CharField(
        max_length=12,
        choices=MethodLink,
        default=MethodLink.NONE,
        blank=True,
        help_text="link that replaces the answers",
    )
    publishes_methods = models.BooleanField(
        default=True, help_text="method descriptions become public with the results, where the team agrees"
    )
    requires_code = models.BooleanField(
        default=False, help_text="the final ranking has only teams whose method description says where their code is"
    )
    stays_open = models.BooleanField(
        default=False, help_text="an open call: it has no deadline, and its ranking is public from the first score"
    )
    announcement = models.CharField(max_length=12, choices=Announcement, default=Announcement.ALL)
    announced_ranks = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="teams up to this rank are named, where only the first are"
    )
    interaction = models.CharField(max_length=12, choices=Interaction, default=Interaction.NONE, blank=True)
    interaction_levels = models.JSONField(
        default=list, blank=True, help_text="levels of interaction that may be ranked finally; empty: every one"
    )
    methods_per_team = models.PositiveSmallIntegerField(
        default=1, help_text="so many submissions of a team are ranked, each as a method of its own, if it chooses them"
    )
    least_share = models.FloatField(
        null=True,
        blank=True,
        help_text="the final ranking has only submissions with answers to at least this share of the cases",
    )
    entrants_from = models.SlugField(
        max_length=80, blank=True, help_text="an earlier phase whose ranked teams alone may submit; empty: open to all"
    )
    entrants_best = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="number of best teams of that phase that may submit; empty: all ranked teams"
    )
    entrants_rule = models.CharField(max_length=10, choices=Entrants, default=Entrants.RANK)
    overlap_questions_per_team = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text="how often a team may ask how many of its training images match test images; empty: never",
    )
    algorithms = models.JSONField(
        default=dict,
        blank=True,
        help_text="limits and interface of algorithms, which are handed in and run here; empty: predictions are handed in",
    )
    is_held = models.BooleanField(
        default=False, editable=False, help_text="kept shut until the launch gate lets submissions open"
    )
    admits_from = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="earliest opening, where the launch gate opened after opens_at"
    )
    assessment_document = models.JSONField()
    assessment_digest = models.CharField(max_length=64, editable=False)

    label = ""
    """Its name, after that of its task where the challenge has several tasks; set by `challenges.queries.phases_of`."""

    class Meta:
        ordering = ["task", "position"]
        constraints = [
            models.UniqueConstraint(fields=["task", "slug"], name="challenges_phase_slug_unique"),
            models.CheckConstraint(
                condition=Q(closes_at__gt=F("opens_at")), name="challenges_phase_opens_before_it_closes"
            ),
            models.CheckConstraint(
                condition=Q(results="revealed", reveals_at__isnull=False, leaderboard="sealed", feedback="exact")
                | ~Q(results="revealed") & (Q(reveals_at__isnull=True) | Q(leaderboard="sealed")),
                name="challenges_phase_reveals_at_a_time",
            ),
            # Exact scores of single cases, or of everybody, would tell what the feedback withholds.
            models.CheckConstraint(
                condition=Q(feedback="exact") | Q(results="aggregate", leaderboard="sealed"),
                name="challenges_phase_feedback_is_not_undone",
            ),
            models.CheckConstraint(
                condition=Q(is_dry_run=False) | Q(feedback="exact") & ~Q(results="revealed"),
                name="challenges_dry_run_hides_nothing",
            ),
            models.CheckConstraint(
                condition=Q(announcement="top", announced_ranks__gte=1)
                | ~Q(announcement="top") & Q(announced_ranks__isnull=True),
                name="challenges_announced_ranks_where_only_the_first_are_named",
            ),
            # Methods are told apart by the team's own choice alone.
            models.CheckConstraint(
                condition=Q(methods_per_team=1) | Q(methods_per_team__gt=1, counts="chosen"),
                name="challenges_several_methods_are_chosen",
            ),
            models.CheckConstraint(
                condition=Q(least_share__isnull=True) | Q(least_share__gt=0, least_share__lte=1),
                name="challenges_least_share_is_a_share",
            ),
            models.CheckConstraint(
                condition=~Q(entrants_from="") & (Q(entrants_best__isnull=True) | Q(entrants_best__gte=1))
                | Q(entrants_from="", entrants_best__isnull=True),
                name="challenges_entrants_of_an_earlier_phase",
            ),
            # Every answer reveals a little about single test images.
            models.CheckConstraint(
                condition=Q(overlap_questions_per_team__isnull=True)
                | Q(overlap_questions_per_team__gte=1, overlap_questions_per_team__lte=3),
                name="challenges_few_overlap_questions",
            ),
            # What stays sealed until it closes would never be seen of a phase that does not close.
            models.CheckConstraint(
                condition=Q(stays_open=False) | Q(leaderboard="public", reveals_at__isnull=True),
                name="challenges_open_call_has_a_public_ranking",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.task.name}: {self.name}"

    @property
    def challenge(self) -> Challenge:
        return self.task.challenge

    @property
    def assessment(self) -> Assessment:
        """The parsed assessment document; the stored one has been validated when the phase was made."""
        return _parsed(canonical_json(self.assessment_document))

    @property
    def starts_at(self) -> datetime:
        """Opening time: the registered date, or a later time if the launch gate opened later."""
        return max(self.opens_at, self.admits_from or self.opens_at)

    @property
    def ends_at(self) -> datetime:
        """Closing time, past or future."""
        return min(self.closed_at or self.closes_at, self.closes_at)

    @property
    def has_opened(self) -> bool:
        """True if submissions have been accepted, now or earlier."""
        return not self.is_held and self.starts_at <= min(timezone.now(), self.ends_at)

    @property
    def is_closed(self) -> bool:
        return timezone.now() >= self.ends_at

    @property
    def state(self) -> State:
        """State of the acceptance of submissions, with the reason if they are not accepted."""
        if self.is_closed:
            return self.State.CLOSED
        if self.is_held:
            return self.State.HELD
        return self.State.OPEN if self.has_opened else self.State.UPCOMING

    @property
    def handed_in(self) -> str:
        """Kind of submissions of the phase, for sentences."""
        return "an algorithm" if self.algorithms else "predictions"

    @property
    def is_open(self) -> bool:
        return self.state == self.State.OPEN

    @property
    def ranks_finally(self) -> bool:
        """True if only teams that meet every condition of the final ranking are ranked.

        This applies once the phase has closed, or always if it never closes.
        """
        return self.is_closed or self.stays_open

    @property
    def is_revealed(self) -> bool:
        """True if final results may be seen: the phase has closed, and no later release is pending."""
        return self.is_closed and (self.reveals_at is None or timezone.now() >= self.reveals_at)

    @property
    def tells_exact_values(self) -> bool:
        """True if a team sees its own aggregate as computed while the phase is open."""
        with_aggregate = (self.Results.CASES, self.Results.AGGREGATE)
        return self.results in with_aggregate and self.feedback == self.Feedback.EXACT

    @property
    def revealed_from(self) -> datetime:
        """Time from which results may be seen."""
        return self.ends_at if self.reveals_at is None else max(self.ends_at, self.reveals_at)

    @property
    def is_sealed(self) -> bool:
        """True if the ranking is still hidden from all people except the organizers."""
        return self.leaderboard == self.Leaderboard.SEALED and not self.is_revealed


PSEUDONYM = "Anonymous"
"""The first word of every pseudonym; names of teams do not begin with it."""


def new_pseudonym() -> str:
    """Draw a pseudonym for a team that is not named in public; it contains nothing of the team."""
    return f"{PSEUDONYM} {secrets.token_hex(4)}"


class Team(models.Model):
    """The unit that submits and is ranked, in one or several tasks of a challenge."""

    class Standing(models.TextChoices):
        """Participation of a team in rankings and awards."""

        RANKED = "ranked", "ranked"
        NO_AWARD = "no_award", "ranked, not eligible for awards"
        UNRANKED = "unranked", "takes part without a rank"
        BASELINE = "baseline", "baseline of the organizers, without a rank"
        DISQUALIFIED = "disqualified", "disqualified"

    # A baseline is added as one, and stays one: its members can know the references.
    ASSIGNED = (Standing.RANKED, Standing.NO_AWARD, Standing.UNRANKED, Standing.DISQUALIFIED)
    # Their results do not enter rankings.
    OUTSIDE = (Standing.UNRANKED, Standing.BASELINE, Standing.DISQUALIFIED)

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="teams")
    tasks = models.ManyToManyField(Task, related_name="teams", help_text="in which it takes part")
    name = models.CharField(max_length=80)
    slug = models.SlugField(max_length=90)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    standing = models.CharField(max_length=12, choices=Standing, default=Standing.RANKED)
    standing_reason = models.CharField(max_length=500, blank=True, help_text="shown to the team")
    invitations = GenericRelation(Invitation)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["challenge", "slug"], name="challenges_team_slug_unique"),
            models.CheckConstraint(
                condition=Q(standing="ranked") | ~Q(standing_reason=""), name="challenges_standing_has_a_reason"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class PresentMembers(models.Manager):
    """Without those who have left."""

    def get_queryset(self) -> models.QuerySet:
        return super().get_queryset().filter(left_at=None)


class Member(models.Model):
    """Membership of a person in a team.

    A person may be in several teams of a challenge, each for other tasks (`Seat`). A member who leaves a team
    with submissions keeps the row.
    """

    class Role(models.TextChoices):
        CAPTAIN = "captain", "captain"
        MEMBER = "member", "member"

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="members")
    # Repeats the team's challenge, by which people are looked up.
    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role, default=Role.CAPTAIN)
    joined_at = models.DateTimeField(default=timezone.now, editable=False)
    left_at = models.DateTimeField(null=True, blank=True)

    objects = PresentMembers()
    everybody = models.Manager()  # noqa: DJ012 (a manager, which the rule takes for a field)

    class Meta:
        ordering = ["joined_at"]
        constraints = [models.UniqueConstraint(fields=["team", "user"], name="challenges_member_once")]

    def __str__(self) -> str:
        return f"{self.user} in {self.team}"


class Seat(models.Model):
    """A person's seat in a task, through a team: the database enforces one team per person and task.

    A person who leaves a team that has submitted to the task keeps the seat. They cannot continue there with a
    second team.
    """

    member = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="seats")
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="seats")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["task"]
        constraints = [models.UniqueConstraint(fields=["task", "user"], name="challenges_one_team_a_person_and_task")]

    def __str__(self) -> str:
        return f"{self.user} in {self.task}"
