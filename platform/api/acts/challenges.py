"""Acts of organizers on a challenge: phases, people, teams, announcements, submissions."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rules import test_rule

from accounts.requests import SignedInApiRequest
from api.acts.base import (
    Act,
    ConflictError,
    checked,
    described,
    done,
    form_data,
    keys_of,
    listed,
    one_of,
    refusals,
    shape_of,
)
from challenges import hooks, queries, services
from challenges.forms.deadlines import DaysForm, MoveForm
from challenges.forms.participation import AnnouncementForm, BaselineForm, OrganizerForm, StandingForm, TermsForm
from challenges.models import Challenge, Concern, Organizer, Participation, Phase, Team
from challenges.queries import people
from challenges.queries.access import visibility_words
from challenges.queries.closing import entrants_of, state_of
from challenges.services import concerns, participation, roles, talking
from challenges.services.deadlines import move_deadline
from challenges.views.access import organizing, phase_by_id
from submissions.models import Submission
from submissions.queries.submissions import of_challenge, visible_submission
from submissions.results.queries import overview
from submissions.services import states
from submissions.services.repeating import repeat_all, repeated_words
from web.wording import moment_words

TAG = "organizing"


def challenge_for(request: Request, slug: str, permission: str, refusal: str) -> Challenge:
    """Return the challenge if the visitor has the permission.

    Raises
    ------
    Http404
        If the visitor cannot see the challenge.
    PermissionDenied
        If the visitor only sees it.
    """
    challenge = queries.visible_challenge(request.user, slug)
    if not request.user.has_perm(permission, challenge):
        raise PermissionDenied(refusal)
    return challenge


def _phase(challenge: Challenge, pk: int) -> Phase:
    return get_object_or_404(Phase.objects.select_related("task__challenge"), pk=pk, task__challenge=challenge)


class OpenView(Act):
    """The launch gate."""

    @described("open_submissions", "Open submissions", tag=TAG)
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Check the launch gate again. If it is passed, the challenge accepts submissions and its readers see it."""
        refusal = "Only organizers open submissions."
        challenge = challenge_for(request, slug, "challenges.organize_challenge", refusal)
        if queries.projection_of(challenge) is None:
            raise PermissionDenied("This challenge was not launched from a registration.")
        with refusals():
            services.open_submissions(actor=request.user, challenge=challenge)
        challenge.refresh_from_db()
        return done(visibility_words(challenge), reverse("challenges:organize", args=[slug]))


class EntrantSerializer(serializers.Serializer):
    """A team in the review before closing."""

    team = serializers.IntegerField(help_text="id of the team")
    name = serializers.CharField()
    outcome = serializers.ChoiceField(["ranked", "pending", "not_ranked"])
    reason = serializers.CharField(allow_blank=True)
    can_remind = serializers.BooleanField()


class ClosingSerializer(serializers.Serializer):
    """The review before a phase is closed."""

    seen = serializers.CharField(help_text="send it back to close the phase; it changes with the list")
    confirm = serializers.CharField(help_text="send it back to close the phase: the slug of the phase")
    teams = EntrantSerializer(many=True)


_CLOSE = shape_of("ClosePhase", confirm=serializers.CharField(), seen=serializers.CharField(required=False))
_REMIND = shape_of("SendReminders", team=serializers.ListField(child=serializers.IntegerField()))


class ClosingView(Act):
    """Close a phase."""

    @described("review_closing", "Show who would be ranked", tag=TAG, answer=ClosingSerializer)
    def get(self, request: SignedInApiRequest, slug: str, phase: int) -> Response:
        """List the teams with their outcome if the phase is closed now."""
        entry = self._entry(request, slug, phase)
        entrants = entrants_of(entry)
        review = {"seen": state_of(entrants), "confirm": entry.slug, "teams": entrants}
        return Response(ClosingSerializer(review).data)

    @described("close_phase", "Close a phase", tag=TAG, request=_CLOSE, example={"confirm": "final", "seen": "…"})
    def post(self, request: SignedInApiRequest, slug: str, phase: int) -> Response:
        """Close the phase for submissions and compute the final ranking.

        `confirm` is the slug of the phase. `seen` is the value from the review, so that nothing changed since.
        """
        entry, data = self._entry(request, slug, phase), form_data(request.data)
        if entry.is_closed:
            raise ConflictError(f"{queries.label_of(entry)} has already been closed.")
        current = state_of(entrants_of(entry))
        if data.get("seen", current) != current:
            raise ConflictError("The list changed while you read it. Check it again.")
        one_of(data, "confirm", [entry.slug])
        services.close_phase(actor=request.user, phase=entry)
        entry.refresh_from_db()
        until = "" if entry.is_revealed else f" from {entry.revealed_from:%-d %B %Y, %H:%M} UTC on"
        message = f"{queries.label_of(entry)} is closed. The final ranking is computed now, and is public{until}."
        return done(message, reverse("challenges:organize", args=[slug]))

    def _entry(self, request: Request, slug: str, phase: int) -> Phase:
        refusal = "Only owners of the challenge close a phase."
        return _phase(challenge_for(request, slug, "challenges.close_phase", refusal), phase)


class RemindersView(ClosingView):
    """Reminders to teams before a phase closes."""

    http_method_names = ["post", "options"]

    @described("send_phase_reminders", "Remind teams", tag=TAG, request=_REMIND, example={"team": [12]})
    def post(self, request: SignedInApiRequest, slug: str, phase: int) -> Response:
        """Send a reminder to teams that would not be ranked, at most one per day."""
        entry = self._entry(request, slug, phase)
        chosen = set(keys_of(form_data(request.data), "team"))
        if not chosen:
            raise ConflictError("Choose the teams that get a reminder.")
        number = sum(send(entry, chosen, request.user) for send in hooks.reminders)
        if not number:
            raise ConflictError("These teams got a reminder today already.")
        message = f"A reminder was sent to {number} team{'' if number == 1 else 's'}."
        return done(message, reverse("challenges:close_phase", args=[slug, entry.pk]))


_MOVE = shape_of("MoveDeadline", DaysForm, MoveForm)


class DeadlineView(Act):
    """A later deadline."""

    @described(
        "move_deadline", "Change dates of a phase", tag=TAG, request=_MOVE, example={"days": 7, "reason": "More time."}
    )
    def post(self, request: SignedInApiRequest, slug: str, phase: int) -> Response:
        """Change the dates of a phase: its deadline moves to a later day. The registration gets a new version, participants are notified."""
        challenge = queries.visible_challenge(request.user, slug)
        entry = _phase(challenge, phase)
        projection = queries.projection_of(challenge)
        if projection is None or not test_rule("changes.request", request.user, projection.registration):
            raise PermissionDenied("Only people who may change the registered design can change dates.")
        if entry.is_closed or entry.stays_open:
            raise ConflictError(f"{queries.label_of(entry)} has no deadline that can be moved.")
        data = form_data(request.data)
        days = checked(DaysForm(data, phase=entry))["days"]
        with refusals():
            move_deadline(actor=request.user, phase=entry, days=days, reason=checked(MoveForm(data))["reason"])
        entry.refresh_from_db()
        label = queries.label_of(entry)
        message = f"{label} closes on {moment_words(entry.ends_at)}. Participants are notified."
        return done(message, reverse("challenges:organize", args=[slug]))


class AnnouncementSerializer(serializers.Serializer):
    """An announcement."""

    id = serializers.IntegerField(source="pk")
    title = serializers.CharField()
    text = serializers.CharField()


_ANNOUNCE = shape_of("NewAnnouncement", AnnouncementForm)


class AnnouncementsView(Act):
    """News of a challenge."""

    @described("announcements", "List announcements", tag=TAG, answer=AnnouncementSerializer(many=True))
    def get(self, request: SignedInApiRequest, slug: str) -> Response:
        """List the announcements, the newest first."""
        challenge = queries.visible_challenge(request.user, slug)
        return listed(request, list(challenge.announcements.all()[:200]), AnnouncementSerializer)

    @described(
        "announce",
        "Announce something",
        tag=TAG,
        request=_ANNOUNCE,
        example={"title": "Data corrected", "text": "Case 17 has a new image."},
        created=True,
    )
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Publish an announcement and notify the participants."""
        refusal = "Only organizers announce something."
        challenge = challenge_for(request, slug, "challenges.announce_in_challenge", refusal)
        content = checked(AnnouncementForm(form_data(request.data)))
        entry = talking.announce(actor=request.user, challenge=challenge, **content)
        message = f"Announced; {entry.told} people are notified."
        return done(message, reverse("challenges:news", args=[slug]), key=entry.pk, created=True)


_PEOPLE = "This page is for the organizers of the challenge."


class OrganizerSerializer(serializers.Serializer):
    """A person with a role in a challenge."""

    username = serializers.CharField(source="user.username")
    name = serializers.CharField(source="user.display_name")
    role = serializers.ChoiceField(Organizer.Role.choices)


_ROLE = shape_of("OrganizerRole", OrganizerForm)


class OrganizersView(Act):
    """People who run a challenge."""

    @described("organizers", "List organizers", tag=TAG, answer=OrganizerSerializer(many=True))
    def get(self, request: SignedInApiRequest, slug: str) -> Response:
        """List the people who run the challenge, with their roles."""
        challenge = challenge_for(request, slug, "challenges.decide_people", _PEOPLE)
        rows = Organizer.objects.filter(challenge=challenge).select_related("user").order_by("pk")
        return listed(request, list(rows), OrganizerSerializer)

    @described(
        "set_organizer",
        "Give a person a role",
        tag=TAG,
        request=_ROLE,
        example={"username": "maria", "role": "manager"},
    )
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Give a person a role in running the challenge; the role `none` removes it."""
        challenge = challenge_for(request, slug, "challenges.choose_organizers", _PEOPLE)
        given = checked(OrganizerForm(form_data(request.data)))
        role = None if given["role"] == "none" else given["role"]
        with refusals():
            roles.set_role(actor=request.user, challenge=challenge, user=given["username"], role=role)
        message = f"Stored for {given['username'].display_name}."
        return done(message, reverse("challenges:people", args=[slug]))


class ParticipationSerializer(serializers.Serializer):
    """A person who takes part or asked to."""

    id = serializers.IntegerField(source="pk")
    username = serializers.CharField(source="user.username")
    name = serializers.CharField(source="user.display_name")
    state = serializers.ChoiceField(Participation.State.choices)


_DECIDE = shape_of(
    "DecideParticipation",
    participation=serializers.ListField(child=serializers.IntegerField()),
    decision=serializers.ChoiceField(["approve", "decline"]),
    reason=serializers.CharField(required=False, allow_blank=True),
)


class ParticipantsView(Act):
    """Requests to take part."""

    @described("participants", "List participants", tag=TAG, answer=ParticipationSerializer(many=True))
    def get(self, request: SignedInApiRequest, slug: str) -> Response:
        """List the people who take part or asked to, the oldest first."""
        challenge = challenge_for(request, slug, "challenges.decide_people", _PEOPLE)
        rows = Participation.objects.filter(challenge=challenge).select_related("user").order_by("pk")
        return listed(request, list(rows), ParticipationSerializer)

    @described(
        "decide_participation",
        "Approve or decline participants",
        tag=TAG,
        request=_DECIDE,
        example={"participation": [7, 9], "decision": "approve"},
    )
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Decide about requests to take part; the people are notified."""
        challenge = challenge_for(request, slug, "challenges.decide_people", _PEOPLE)
        data = form_data(request.data)
        rows = Participation.objects.filter(challenge=challenge, pk__in=keys_of(data, "participation"))
        if not rows:
            raise ConflictError("No one is selected. Select people in the list, then decide.")
        approve = one_of(data, "decision", ["approve", "decline"]) == "approve"
        with refusals():
            count = participation.decide_participation(
                actor=request.user, participations=list(rows), approve=approve, reason=data.get("reason", "")
            )
        message = f"Decided for {count} {'person' if count == 1 else 'people'}."
        return done(message, reverse("challenges:people", args=[slug]))


class TeamSerializer(serializers.Serializer):
    """A team."""

    id = serializers.IntegerField(source="pk")
    slug = serializers.CharField()
    name = serializers.CharField()
    standing = serializers.ChoiceField(Team.Standing.choices)
    reason = serializers.CharField(source="standing_reason")


_STANDING = shape_of(
    "TeamStanding", StandingForm, team=serializers.ListField(child=serializers.IntegerField(), help_text="ids of teams")
)


class TeamsView(Act):
    """Teams and their standing."""

    @described("teams", "List teams", tag=TAG, answer=TeamSerializer(many=True))
    def get(self, request: SignedInApiRequest, slug: str) -> Response:
        """List the teams of the challenge, with how they take part in rankings."""
        challenge = challenge_for(request, slug, "challenges.decide_people", _PEOPLE)
        return listed(request, list(Team.objects.filter(challenge=challenge).order_by("pk")), TeamSerializer)

    @described(
        "set_team_standing",
        "Disqualify teams, or rank them again",
        tag=TAG,
        request=_STANDING,
        example={"team": [4], "standing": "disqualified", "reason": "Manual annotation of test cases."},
    )
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Set how teams take part in rankings. The rankings are computed again, the team reads the reason."""
        challenge = challenge_for(request, slug, "challenges.disqualify_team", _PEOPLE)
        data = form_data(request.data)
        rows = Team.objects.filter(challenge=challenge, pk__in=keys_of(data, "team"))
        if not rows:
            raise ConflictError("No team is selected. Select teams in the list, then set their status.")
        content = checked(StandingForm(data))
        with refusals():
            count = roles.set_standing(actor=request.user, teams=list(rows), **content)
        message = f"Changed for {count} team{'' if count == 1 else 's'}; rankings follow."
        return done(message, reverse("challenges:people", args=[slug]))


class BaselinesView(Act):
    """Baselines of the organizers."""

    @described(
        "add_baseline",
        "Add a baseline",
        tag=TAG,
        request=shape_of("Baseline", BaselineForm),
        example={"name": "nnU-Net", "method": "Isensee et al., Nature Methods 18, 203–211 (2021)"},
    )
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Make a team of the organizer that has no rank. Its submissions are compared with the ranked teams."""
        challenge = challenge_for(request, slug, "challenges.disqualify_team", _PEOPLE)
        content = checked(BaselineForm(form_data(request.data)))
        with refusals():
            team = roles.add_baseline(
                actor=request.user, challenge=challenge, team_name=content["name"], method=content["method"]
            )
        return done(f"{team.name} is a baseline.", reverse("challenges:people", args=[slug]))


class ConcernSerializer(serializers.Serializer):
    """A possible breach of a rule."""

    id = serializers.IntegerField(source="pk")
    kind = serializers.ChoiceField(Concern.Kind.choices)
    state = serializers.ChoiceField(Concern.State.choices)
    note = serializers.CharField()


class ConcernsView(Act):
    """Concerns about participants."""

    @described("concerns", "List concerns", tag=TAG, answer=ConcernSerializer(many=True))
    def get(self, request: SignedInApiRequest, slug: str) -> Response:
        """List the concerns about participants and teams."""
        challenge = challenge_for(request, slug, "challenges.decide_people", _PEOPLE)
        return listed(request, list(people.concerns_of(challenge)), ConcernSerializer)


_CONCERN = shape_of(
    "DecideConcern",
    decision=serializers.ChoiceField(["uphold", "dismiss"]),
    note=serializers.CharField(required=False, allow_blank=True),
)


class ConcernView(Act):
    """One concern."""

    @described(
        "decide_concern",
        "Decide about a concern",
        tag=TAG,
        request=_CONCERN,
        example={"decision": "dismiss", "note": "Two groups of one university."},
    )
    def post(self, request: SignedInApiRequest, slug: str, pk: int) -> Response:
        """Uphold or dismiss a concern. The standing of the team is set separately."""
        challenge = challenge_for(request, slug, "challenges.decide_people", _PEOPLE)
        entry, data = get_object_or_404(Concern, pk=pk, challenge=challenge), form_data(request.data)
        uphold = one_of(data, "decision", ["uphold", "dismiss"]) == "uphold"
        with refusals():
            concerns.decide_concern(actor=request.user, concern=entry, uphold=uphold, note=data.get("note", ""))
        message = "The decision is on record. How the team takes part is set in the list of teams."
        return done(message, reverse("challenges:people", args=[slug]))


class TermsSerializer(serializers.Serializer):
    """The terms of participation."""

    version = serializers.IntegerField()
    agreement = serializers.CharField()
    requires_approval = serializers.BooleanField()
    requires_method = serializers.BooleanField()
    team_size = serializers.IntegerField(allow_null=True)


_TERMS = shape_of("NewTerms", TermsForm)


class TermsView(Act):
    """Terms of participation."""

    @described("terms", "Show the terms", tag=TAG, answer=TermsSerializer)
    def get(self, request: SignedInApiRequest, slug: str) -> Response:
        """Return the current version of the terms of participation."""
        challenge = challenge_for(request, slug, "challenges.decide_people", _PEOPLE)
        terms = people.terms_of(challenge)
        if terms is None:
            raise Http404("This challenge has no terms.")
        return Response(TermsSerializer(terms).data)

    @described(
        "set_terms",
        "Change the terms",
        tag=TAG,
        request=_TERMS,
        example={"agreement": "Use the data for this challenge only.", "requires_approval": True, "team_size": 5},
        created=True,
    )
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Create a new version of the terms. A registered agreement stays as it is registered."""
        challenge = challenge_for(request, slug, "challenges.decide_people", _PEOPLE)
        form = TermsForm(form_data(request.data), registered=challenge.agreement)
        terms = participation.set_terms(actor=request.user, challenge=challenge, **checked(form))
        message = f"Version {terms.version} of the terms holds."
        return done(message, reverse("challenges:people", args=[slug]), key=terms.version, created=True)


class OrganizedSubmissionSerializer(serializers.Serializer):
    """A submission as organizers see it."""

    id = serializers.UUIDField(source="pk")
    phase = serializers.IntegerField(source="phase_id")
    team = serializers.CharField(source="team.name")
    number = serializers.IntegerField()
    state = serializers.ChoiceField(Submission.State.choices)
    reason = serializers.CharField()
    created_at = serializers.DateTimeField()


_REPEAT = shape_of(
    "ScoreAgain",
    which=serializers.ChoiceField(["failed", "phase", "chosen"]),
    phase=serializers.IntegerField(required=False, help_text="for `phase`: its id"),
    submission=serializers.ListField(
        child=serializers.UUIDField(), required=False, help_text="for `chosen`: ids of submissions"
    ),
)
_SHOWN = 1000


class OrganizedSubmissionsView(Act):
    """Submissions of all teams."""

    @described(
        "organized_submissions",
        "List the submissions of all teams",
        tag=TAG,
        answer=OrganizedSubmissionSerializer(many=True),
    )
    def get(self, request: SignedInApiRequest, slug: str) -> Response:
        """List the last 1,000 submissions to the challenge, the newest first."""
        rows = of_challenge(organizing(request, slug)).order_by("-created_at", "pk")
        return listed(request, list(rows[:_SHOWN]), OrganizedSubmissionSerializer)

    @described(
        "score_many_again",
        "Score many submissions again",
        tag=TAG,
        request=_REPEAT,
        example={"which": "failed"},
    )
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Score again: failed submissions, all scored submissions of a phase, or chosen ones. Results apply until then."""
        challenge, data = organizing(request, slug), form_data(request.data)
        which = one_of(data, "which", ["failed", "phase", "chosen"])
        rows: Any
        if which == "failed":
            rows = overview.failed(challenge)
        elif which == "phase":
            phase = phase_by_id(challenge, data.get("phase"))
            rows = Submission.objects.filter(phase=phase, state=Submission.State.SCORED).order_by("created_at")
        else:
            rows = overview.chosen(challenge, data.getlist("submission"))
            if not rows:
                raise ConflictError("No submission was chosen. Mark submissions in the list that can be scored again.")
        taken, left = repeat_all(actor=request.user, submissions=rows)
        return done(repeated_words(taken, left), reverse("results:work", args=[slug]))


class RepeatView(Act):
    """One submission once more."""

    @described("score_again", "Score a submission again", tag=TAG)
    def post(self, request: SignedInApiRequest, slug: str, pk: Any) -> Response:
        """Score a submission again. Its current result applies until then."""
        challenge = organizing(request, slug)
        submission = visible_submission(request.user, challenge, pk, perm="submissions.organize_submission")
        with refusals():
            states.repeat(submission=submission, actor=request.user)
        message = "The submission is being scored again. Its current result applies until then."
        return done(message, submission.get_absolute_url())
