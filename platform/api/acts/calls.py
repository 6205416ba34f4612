"""Acts on calls: of chairs on the call, its people, assignments and decisions; of organizers on their filings."""

from typing import Any

from django.core.exceptions import PermissionDenied, ValidationError
from django.forms.models import model_to_dict
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.people.services import invitations
from accounts.requests import SignedInApiRequest
from api.acts.base import Act, ConflictError, checked, described, done, form_data, keys_of, listed, refusals, shape_of
from designs.models import Collaborator, Design
from reviews import queries, rules
from reviews.forms import (
    CallForm,
    ChairForm,
    DecisionForm,
    InvitationForm,
    MailTextForm,
    MessageForm,
    PointForm,
    QuestionForm,
    ReasonForm,
    ReviewerForm,
    RevisionForm,
)
from reviews.models import Assignment, Call, Chair, Filing, Outcome, Part, Question, Reviewer, Side, State
from reviews.services import assigning, calls, deciding, filing, reviewers, talk
from reviews.services.defaults import MAILS
from reviews.services.messages import write_to
from reviews.views.access import call_for, filing_for, own_designs
from reviews.views.filings import reader_of

TAG = "calls"
_CHAIR = "chair_call"


class CallSerializer(serializers.Serializer):
    """A call for designs."""

    slug = serializers.CharField()
    title = serializers.CharField()
    is_public = serializers.BooleanField()
    submission_at = serializers.DateTimeField()
    review_at = serializers.DateTimeField()


_CALL = shape_of("CallSettings", CallForm)
_DATES = {
    "submission_at": "2027-01-15T23:59",
    "review_at": "2027-02-15T23:59",
    "revision_at": "2027-03-15T23:59",
    "registration_at": "2027-04-15T23:59",
    "critical_change_at": "2027-05-15T23:59",
}


def _with_stored(call: Call, content: Any) -> Any:
    """Return the settings of a call, replaced by those that were sent."""
    sent = form_data(content)
    stored = model_to_dict(call, fields=CallForm.Meta.fields)
    data = form_data({
        name: value.isoformat() if hasattr(value, "isoformat") else value
        for name, value in stored.items()
        if name not in content
    })  # fmt: skip
    for name in sent:
        data.setlist(name, sent.getlist(name))
    return data


class CallsView(Act):
    """Calls for designs."""

    @described("calls", "List calls", tag=TAG, answer=CallSerializer(many=True))
    def get(self, request: SignedInApiRequest) -> Response:
        """List published calls, and those that you chair or review for."""
        return listed(request, list(queries.calls_for(request.user)), CallSerializer)

    @described(
        "create_call",
        "Create a call",
        tag=TAG,
        request=_CALL,
        example={"title": "Challenges of 2027", **_DATES},
        created=True,
    )
    def post(self, request: SignedInApiRequest) -> Response:
        """Create a call with the default questions and mail texts. Settings that you omit have the defaults of the page."""
        if not request.user.has_perm("reviews.found_call"):
            raise PermissionDenied("Chairs make calls; an administrator adds people to the group “chairs”.")
        content = checked(CallForm(_with_stored(Call(), request.data if isinstance(request.data, dict) else {})))
        with refusals():
            call = calls.create_call(actor=request.user, **content)
        message = "The call is made, with the default questions and mail texts."
        return done(message, call.get_absolute_url(), key=call.slug, created=True)


class CallView(Act):
    """One call."""

    @described("call_settings", "Show the settings of a call", tag=TAG, answer=_CALL)
    def get(self, request: SignedInApiRequest, slug: str) -> Response:
        """Return all settings of a call that you chair."""
        return Response(model_to_dict(call_for(request, slug, _CHAIR), fields=CallForm.Meta.fields))

    @described("change_call", "Change a call", tag=TAG, request=_CALL, example={"news": "The deadline is later."})
    def patch(self, request: SignedInApiRequest, slug: str) -> Response:
        """Change settings of a call; settings that you omit stay."""
        call = call_for(request, slug, _CHAIR)
        stored = Call.objects.get(pk=call.pk)
        data = _with_stored(stored, request.data if isinstance(request.data, dict) else {})
        content = checked(CallForm(data, instance=stored))
        with refusals():
            calls.change_call(actor=request.user, call=call, **content)
        message = "The settings are saved and apply from now on."
        return done(message, reverse("reviews:settings", args=[slug]))


class CallQuestionSerializer(serializers.ModelSerializer):
    """A question of the review form."""

    class Meta:
        model = Question
        fields = ["id", "section", "text", "kind", "audience", "is_required"]


_QUESTION = shape_of("ReviewQuestion", QuestionForm)
_ASKED = {"section": "mission", "text": "Is the aim clear?", "kind": "score", "audience": "all", "is_required": True}


class QuestionsView(Act):
    """The review form."""

    @described("review_questions", "List review questions", tag=TAG, answer=CallQuestionSerializer(many=True))
    def get(self, request: SignedInApiRequest, slug: str) -> Response:
        """List the questions of the review form."""
        call = call_for(request, slug, _CHAIR)
        return listed(request, list(call.questions.filter(retired_at=None)), CallQuestionSerializer)

    @described("add_question", "Add a question", tag=TAG, request=_QUESTION, example=_ASKED, created=True)
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Add a question to the review form."""
        call = call_for(request, slug, _CHAIR)
        content = checked(QuestionForm(form_data(request.data)))
        with refusals():
            question = calls.add_question(actor=request.user, call=call, **content)
        page = reverse("reviews:questions", args=[slug])
        return done("The question is added.", page, key=question.pk, created=True)


class QuestionView(Act):
    """One question of the review form."""

    @described("change_question", "Change a question", tag=TAG, request=_QUESTION, example=_ASKED)
    def put(self, request: SignedInApiRequest, slug: str, pk: int) -> Response:
        """Change a question. If it has answers, a new question replaces it."""
        entry = self._question(request, slug, pk)
        content = checked(QuestionForm(form_data(request.data), instance=Question.objects.get(pk=entry.pk)))
        with refusals():
            calls.change_question(actor=request.user, question=entry, **content)
        return done("The question is changed.", reverse("reviews:questions", args=[slug]))

    @described("retire_question", "Stop asking a question", tag=TAG)
    def delete(self, request: SignedInApiRequest, slug: str, pk: int) -> Response:
        """Remove a question from the review form; its answers stay."""
        calls.retire_question(actor=request.user, question=self._question(request, slug, pk))
        message = "The question is asked no longer; answers given to it stay."
        return done(message, reverse("reviews:questions", args=[slug]))

    def _question(self, request: Request, slug: str, pk: int) -> Question:
        return get_object_or_404(Question, call=call_for(request, slug, _CHAIR), pk=pk, retired_at=None)


_MAIL = shape_of(
    "MailText",
    subject=serializers.CharField(max_length=160),
    body=serializers.CharField(help_text="with {words} to fill"),
)


class MailTextView(Act):
    """The text of a mail of a call."""

    @described("save_mail_text", "Change a mail text", tag=TAG, request=_MAIL, example={"subject": "S", "body": "B"})
    def put(self, request: SignedInApiRequest, slug: str, kind: str) -> Response:
        """Replace the delivered text of a mail of this call."""
        call = self._call(request, slug, kind)
        content = checked(MailTextForm(form_data(request.data), kind=kind))
        with refusals():
            calls.save_mail_text(actor=request.user, call=call, kind=kind, **content)
        return done("The text is saved.", reverse("reviews:mails", args=[slug]))

    @described("restore_mail_text", "Restore a mail text", tag=TAG)
    def delete(self, request: SignedInApiRequest, slug: str, kind: str) -> Response:
        """Use the delivered text of a mail again."""
        calls.restore_mail_text(actor=request.user, call=self._call(request, slug, kind), kind=kind)
        return done("The delivered text is used again.", reverse("reviews:mails", args=[slug]))

    def _call(self, request: Request, slug: str, kind: str) -> Call:
        call = call_for(request, slug, _CHAIR)
        if kind not in MAILS:
            raise Http404("Mail not found.")
        return call


_MESSAGE = shape_of("MessageToMany", MessageForm)


class MessagesView(Act):
    """Messages to groups of people."""

    @described(
        "send_message",
        "Send a message to many people",
        tag=TAG,
        request=_MESSAGE,
        example={"audience": "late", "subject": "Your review", "text": "Please send it by Friday."},
    )
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Send a message to each reviewer or organizer of a group, without preview."""
        call = call_for(request, slug, _CHAIR)
        number = write_to(actor=request.user, call=call, **checked(MessageForm(form_data(request.data))))
        message = f"The message goes to {number} {'person' if number == 1 else 'people'}."
        return done(message, reverse("reviews:mails", args=[slug]))


class ReviewerSerializer(serializers.Serializer):
    """A reviewer of a call."""

    id = serializers.IntegerField(source="pk")
    username = serializers.CharField(source="user.username")
    name = serializers.CharField(source="user.display_name")
    parts = serializers.ListField(child=serializers.CharField())
    assigned = serializers.IntegerField()
    waiting = serializers.IntegerField()


_REVIEWER = shape_of("ReviewerFacts", ReviewerForm)


class ReviewersView(Act):
    """Reviewers of a call."""

    @described("reviewers", "List reviewers", tag=TAG, answer=ReviewerSerializer(many=True))
    def get(self, request: SignedInApiRequest, slug: str) -> Response:
        """List the reviewers with their load."""
        return listed(request, list(queries.loads_of(call_for(request, slug, _CHAIR))), ReviewerSerializer)


class ReviewerView(Act):
    """One reviewer."""

    @described("change_reviewer", "Change a reviewer", tag=TAG, request=_REVIEWER, example={"is_general": True})
    def put(self, request: SignedInApiRequest, slug: str, pk: int) -> Response:
        """Set parts, expertise and load of a reviewer; for the person and the chairs."""
        person = self._person(request, slug, pk)
        content = checked(ReviewerForm(form_data(request.data), instance=Reviewer.objects.get(pk=person.pk)))
        with refusals():
            reviewers.change_reviewer(actor=request.user, reviewer=person, **content)
        return done("Saved.", reverse("reviews:people", args=[slug]))

    @described("remove_reviewer", "Remove a reviewer", tag=TAG)
    def delete(self, request: SignedInApiRequest, slug: str, pk: int) -> Response:
        """End the part of a reviewer in the call; for the person and the chairs."""
        with refusals():
            reviewers.remove_reviewer(actor=request.user, reviewer=self._person(request, slug, pk))
        return done("The person reviews for this call no longer.", reverse("reviews:call", args=[slug]))

    def _person(self, request: Request, slug: str, pk: int) -> Reviewer:
        call = call_for(request, slug)
        rows = Reviewer.objects.select_related("user", "call")
        person = get_object_or_404(rows, call=call, pk=pk, left_at=None)
        if person.user_id != request.user.pk:
            call_for(request, slug, _CHAIR)
        return person


class InvitationSerializer(serializers.Serializer):
    """An invitation."""

    id = serializers.IntegerField(source="pk")
    email = serializers.EmailField()
    role = serializers.CharField()
    is_open = serializers.BooleanField()


_INVITE = shape_of(
    "InviteReviewers",
    emails=serializers.ListField(child=serializers.EmailField()),
    part=serializers.ChoiceField(Part.choices),
)


class ReviewerInvitationsView(Act):
    """Invitations of reviewers."""

    @described("reviewer_invitations", "List invitations", tag=TAG, answer=InvitationSerializer(many=True))
    def get(self, request: SignedInApiRequest, slug: str) -> Response:
        """List the invitations of reviewers, open and closed ones."""
        return listed(request, list(call_for(request, slug, _CHAIR).invitations.all()), InvitationSerializer)

    @described(
        "invite_reviewers",
        "Invite reviewers",
        tag=TAG,
        request=_INVITE,
        example={"emails": ["r.one@example.org"], "part": "general"},
        created=True,
    )
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Send an invitation to each address, without preview. The answer names addresses that are refused."""
        call, data = call_for(request, slug, _CHAIR), form_data(request.data)
        if emails := data.getlist("emails"):
            data["emails"] = "\n".join(emails)
        content = checked(InvitationForm(data))
        refused, sent = [], 0
        for email in content["emails"]:
            try:
                invitation = invitations.invite(actor=request.user, target=call, email=email, role=content["part"])
            except ValidationError as error:
                refused.append(f"{email}: {' '.join(error.messages)}")
            else:
                sent += invitation.is_mailed
        if refused and not sent:
            raise exceptions.ValidationError({"emails": refused})
        message = " ".join([f"{sent} invitation{'' if sent == 1 else 's'} sent.", *refused])
        return done(message, reverse("reviews:people", args=[slug]), created=True)


class ReviewerInvitationView(Act):
    """One invitation of a reviewer."""

    @described("withdraw_reviewer_invitation", "Withdraw an invitation", tag=TAG)
    def delete(self, request: SignedInApiRequest, slug: str, pk: int) -> Response:
        """Withdraw an invitation; its link stops working."""
        call = call_for(request, slug, _CHAIR)
        invitations.withdraw(actor=request.user, invitation=get_object_or_404(call.invitations, pk=pk))
        message = "The invitation is withdrawn; its link stopped working."
        return done(message, reverse("reviews:people", args=[slug]))


class ChairSerializer(serializers.Serializer):
    """A chair of a call."""

    id = serializers.IntegerField(source="pk")
    username = serializers.CharField(source="user.username")
    name = serializers.CharField(source="user.display_name")


_NEW_CHAIR = shape_of("NewChair", ChairForm)


class ChairsView(Act):
    """Chairs of a call."""

    @described("chairs", "List chairs", tag=TAG, answer=ChairSerializer(many=True))
    def get(self, request: SignedInApiRequest, slug: str) -> Response:
        """List the chairs of the call."""
        return listed(request, list(call_for(request, slug, _CHAIR).chairs.select_related("user")), ChairSerializer)

    @described("add_chair", "Add a chair", tag=TAG, request=_NEW_CHAIR, example={"username": "li"}, created=True)
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Let another person chair the call too."""
        call = call_for(request, slug, _CHAIR)
        user = checked(ChairForm(form_data(request.data)))["username"]
        chair = calls.add_chair(actor=request.user, call=call, user=user)
        page = reverse("reviews:people", args=[slug])
        return done("The person chairs the call too.", page, key=chair.pk, created=True)


class ChairView(Act):
    """One chair of a call."""

    @described("remove_chair", "Remove a chair", tag=TAG)
    def delete(self, request: SignedInApiRequest, slug: str, pk: int) -> Response:
        """End the part of a chair. A call keeps at least one chair."""
        chair = get_object_or_404(Chair, call=call_for(request, slug, _CHAIR), pk=pk)
        with refusals():
            calls.remove_chair(actor=request.user, chair=chair)
        return done("The person no longer chairs the call.", reverse("reviews:people", args=[slug]))


class FilingSerializer(serializers.Serializer):
    """A design in a call."""

    number = serializers.IntegerField()
    title = serializers.CharField()
    design = serializers.CharField(source="design.slug")
    state = serializers.ChoiceField(State.choices)


_FILE = shape_of("FileDesign", design=serializers.SlugField(help_text="slug of a design that you own"))


class FilingsView(Act):
    """Designs in a call."""

    @described("filings", "List the designs in a call", tag=TAG, answer=FilingSerializer(many=True))
    def get(self, request: SignedInApiRequest, slug: str) -> Response:
        """List all designs without your own as a chair, and your own designs otherwise."""
        call = call_for(request, slug)
        if request.user.has_perm("reviews.chair_call", call):
            rows = call.filings.exclude(design__in=own_designs(request.user)).select_related("design")
        else:
            rows = call.filings.filter(design__in=own_designs(request.user)).select_related("design")
        return listed(request, list(rows), FilingSerializer)

    @described(
        "file_design",
        "Submit a design to a call",
        tag=TAG,
        request=_FILE,
        example={"design": "hippocampus-2027"},
        created=True,
    )
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Submit the current version of a design that you own. It must pass the gate of the call."""
        call, data = call_for(request, slug), form_data(request.data)
        owned = Design.objects.filter(collaborators__user=request.user, collaborators__role=Collaborator.Role.OWNER)
        design = owned.filter(slug=data.get("design") or "").first()
        if design is None:
            raise exceptions.ValidationError({"design": ["Send the slug of a design that you own."]})
        with refusals():
            entry = filing.file_design(actor=request.user, call=call, design=design)
        message = "The current version of the design is submitted. You can continue to edit for later versions."
        return done(message, entry.get_absolute_url(), key=entry.number, created=True)


class FilingView(Act):
    """One design in a call."""

    @described("filing", "Show a design in a call", tag=TAG, answer=FilingSerializer)
    def get(self, request: SignedInApiRequest, slug: str, number: int) -> Response:
        """Return the state of a design in a call, for its organizers and the chairs."""
        return Response(FilingSerializer(filing_for(request, slug, number, rules.organizes, rules.chairs)).data)


_REASON = shape_of("WithdrawFiling", ReasonForm)


class WithdrawalView(Act):
    """Withdrawal of a design from a call."""

    @described("withdraw_filing", "Withdraw a design", tag=TAG, request=_REASON, example={"reason": "No funding."})
    def post(self, request: SignedInApiRequest, slug: str, number: int) -> Response:
        """Withdraw a design from a call, as its owner or as a chair."""
        entry = filing_for(request, slug, number, rules.owns, rules.chairs)
        with refusals():
            filing.withdraw(actor=request.user, filing=entry, reason=form_data(request.data).get("reason", ""))
        return done(f"The filing is {entry.get_state_display()}.", entry.get_absolute_url())


_REVISION = shape_of("Revision", RevisionForm)


class RevisionView(Act):
    """A revision after the first decision."""

    @described("submit_revision", "Submit a revision", tag=TAG, request=_REVISION, example={"note": "See the points."})
    def post(self, request: SignedInApiRequest, slug: str, number: int) -> Response:
        """Submit the current version of the design as the revision."""
        filing_for(request, slug, number, rules.organizes)
        entry = filing_for(request, slug, number, rules.owns)
        if entry.state != State.REVISION_REQUIRED:
            raise ConflictError("No revision is awaited now.")
        with refusals():
            note = checked(RevisionForm(form_data(request.data)))["note"]
            filing.submit_revision(actor=request.user, filing=entry, note=note)
        return done("The revision is sent.", entry.get_absolute_url())


class StartView(Act):
    """The start of a review."""

    @described("start_review", "Start the review of a design", tag=TAG)
    def post(self, request: SignedInApiRequest, slug: str, number: int) -> Response:
        """Start the review of a design or of its revision, and send the letters to its reviewers."""
        entry = filing_for(request, slug, number, rules.chairs)
        with refusals():
            assigning.start_review(actor=request.user, filing=entry)
        return done("The review is open.", entry.get_absolute_url())


class LetterSerializer(serializers.Serializer):
    """The draft of a decision."""

    subject = serializers.CharField()
    letter = serializers.CharField()


_DECISION = shape_of("FilingDecision", DecisionForm)


class DecisionView(Act):
    """The decision about a design."""

    @described("draft_decision", "Show the draft of a letter", tag=TAG, answer=LetterSerializer)
    def get(self, request: SignedInApiRequest, slug: str, number: int) -> Response:
        """Return the draft of the letter for the decision that the query `outcome` names."""
        entry = filing_for(request, slug, number, rules.chairs)
        outcome = request.query_params.get("outcome", "")
        if outcome not in Outcome.values:
            raise exceptions.ValidationError({"outcome": [f"Send one of: {', '.join(Outcome.values)}."]})
        subject, letter = deciding.draft_letter(filing=entry, outcome=outcome, chair=request.user)
        return Response({"subject": subject, "letter": letter})

    @described(
        "decide_filing",
        "Decide about a design",
        tag=TAG,
        request=_DECISION,
        example={"outcome": "accept", "subject": "Your design", "letter": "Dear organizers, …"},
    )
    def post(self, request: SignedInApiRequest, slug: str, number: int) -> Response:
        """Decide about a design and send the letter. Without `letter` and `subject`, the draft is sent."""
        entry, data = filing_for(request, slug, number, rules.chairs), form_data(request.data)
        outcome = data.get("outcome") or ""
        if outcome in Outcome.values and not data.get("letter"):
            data["subject"], data["letter"] = deciding.draft_letter(filing=entry, outcome=outcome, chair=request.user)
        content = checked(DecisionForm(data))
        with refusals():
            deciding.decide(actor=request.user, filing=entry, **content)
        return done("Decided; the letter is on its way.", entry.get_absolute_url())


_DECISIONS = shape_of(
    "FilingDecisions",
    outcome=serializers.ChoiceField(Outcome.choices),
    filing=serializers.ListField(child=serializers.IntegerField(), help_text="numbers of designs in the call"),
)


class DecisionsView(Act):
    """Decisions about many designs."""

    @described(
        "decide_filings",
        "Decide about many designs",
        tag=TAG,
        request=_DECISIONS,
        example={"outcome": "reject", "filing": [3, 5]},
    )
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Decide about many designs in the same way and send the drafted letters."""
        call, data = call_for(request, slug, _CHAIR), form_data(request.data)
        outcome, numbers = data.get("outcome", ""), keys_of(data, "filing")
        rows = Filing.objects.filter(call=call, number__in=numbers).select_related("call", "design")
        filings = [row for row in rows if rules.chairs(request.user, row)]
        if not filings or outcome not in Outcome.values:
            raise ConflictError("Choose designs and a decision first.")
        decided, refused = deciding.decide_many(actor=request.user, call=call, filings=filings, outcome=outcome)
        lines = [f"{len(decided)} decided; the letters are on their way."] if decided else []
        lines += [f"{entry.title}: {' '.join(reasons)}" for entry, reasons in refused]
        if not decided:
            raise ConflictError(" ".join(lines))
        return done(" ".join(lines), reverse("reviews:matrix", args=[slug]))


class AssignmentSerializer(serializers.Serializer):
    """A reviewer of a design."""

    id = serializers.IntegerField(source="pk")
    filing = serializers.IntegerField(source="filing.number")
    reviewer = serializers.IntegerField(source="reviewer_id")
    name = serializers.CharField(source="reviewer.user.display_name")
    part = serializers.ChoiceField(Part.choices)
    notified_at = serializers.DateTimeField(source="told_at", allow_null=True)


def _assignments(request: Request, call: Call) -> list[Assignment]:
    """Return the current assignments of a call, without those to the chair's own designs."""
    filings = call.filings.exclude(design__in=own_designs(request.user))
    rows = Assignment.objects.filter(filing__in=filings, removed_at=None)
    return list(rows.select_related("filing__call", "filing__design", "reviewer__user").order_by("pk"))


class AssignmentsView(Act):
    """Assignments of a call."""

    @described("assignments", "List assignments", tag=TAG, answer=AssignmentSerializer(many=True))
    def get(self, request: SignedInApiRequest, slug: str) -> Response:
        """List the reviewers of all designs without your own."""
        return listed(request, _assignments(request, call_for(request, slug, _CHAIR)), AssignmentSerializer)


_ASSIGN = shape_of(
    "AssignReviewer",
    reviewer=serializers.IntegerField(help_text="id of the reviewer"),
    part=serializers.ChoiceField(Part.choices),
)


class AssignView(Act):
    """Assignment of reviewers to one design."""

    @described(
        "assign_reviewer",
        "Assign a reviewer",
        tag=TAG,
        request=_ASSIGN,
        example={"reviewer": 8, "part": "general"},
        created=True,
    )
    def post(self, request: SignedInApiRequest, slug: str, number: int) -> Response:
        """Assign a reviewer to a design. The letter is sent separately."""
        entry, data = filing_for(request, slug, number, rules.chairs), form_data(request.data)
        pk = next(iter(keys_of(data, "reviewer")), 0)
        person = get_object_or_404(Reviewer.objects.select_related("user", "call"), call=entry.call, pk=pk)
        with refusals():
            row = assigning.assign(actor=request.user, filing=entry, reviewer=person, part=data.get("part", ""))
        message = f"{person.user.display_name} is assigned, and not written to yet."
        return done(message, reverse("reviews:assignments", args=[slug]), key=row.pk, created=True)


class AssignmentView(Act):
    """One assignment."""

    @described("remove_assignment", "Remove a reviewer from a design", tag=TAG)
    def delete(self, request: SignedInApiRequest, slug: str, number: int, pk: int) -> Response:
        """Remove a reviewer from a design; their texts remain in the record."""
        entry = filing_for(request, slug, number, rules.chairs)
        row = get_object_or_404(Assignment.objects.select_related("reviewer__user"), filing=entry, pk=pk)
        row.filing = entry
        with refusals():
            assigning.unassign(actor=request.user, assignment=row)
        message = "The reviewer was removed. Their texts remain in the record."
        return done(message, reverse("reviews:assignments", args=[slug]))


class AutomaticView(Act):
    """Automatic assignment."""

    @described("assign_automatically", "Assign reviewers automatically", tag=TAG)
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Fill the open places in the background."""
        call = call_for(request, slug, _CHAIR)
        assigning.request_assignment(actor=request.user, call=call)
        return done("The assignment is queued.", reverse("reviews:assignments", args=[slug]))


_LETTERS = shape_of(
    "SendLetters", assignment=serializers.ListField(child=serializers.IntegerField(), help_text="ids of assignments")
)


class LettersView(Act):
    """Letters of assignment."""

    @described("send_letters", "Send letters of assignment", tag=TAG, request=_LETTERS, example={"assignment": [4]})
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Notify assigned reviewers who were not notified yet."""
        call = call_for(request, slug, _CHAIR)
        chosen = keys_of(form_data(request.data), "assignment")
        waiting = [
            row
            for row in _assignments(request, call)
            if row.pk in chosen and row.told_at is None and row.filing.state in assigning.ASSIGNABLE
        ]
        number = assigning.tell(actor=request.user, assignments=waiting)
        page = reverse("reviews:assignments", args=[slug])
        return done(f"{number} letter{'' if number == 1 else 's'} sent.", page)


class ReviewRemindersView(Act):
    """Reminders of missing reviews."""

    @described("remind_reviewers", "Remind reviewers", tag=TAG, request=_LETTERS, example={"assignment": [4]})
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Send reminders for reviews that are missing."""
        call = call_for(request, slug, _CHAIR)
        chosen = keys_of(form_data(request.data), "assignment")
        missing = [
            cell.assignment
            for row in queries.matrix_of(call, without=own_designs(request.user)).rows
            if row.filing.state == State.UNDER_REVIEW
            for cell in row.cells
            if cell is not None and cell.sent is None and cell.assignment.pk in chosen
        ]
        for assignment in missing:
            assignment.filing.call = call
            assigning.remind(actor=request.user, assignment=assignment)
        page = reverse("reviews:assignments", args=[slug])
        return done(f"{len(missing)} reminder{'' if len(missing) == 1 else 's'} sent.", page)


class PointSerializer(serializers.Serializer):
    """A point about a parameter of a design."""

    id = serializers.IntegerField(source="pk")
    parameter = serializers.CharField()
    task_key = serializers.CharField(allow_blank=True)
    is_blocking = serializers.BooleanField()
    state = serializers.CharField()


_POINT = shape_of("NewPoint", PointForm)


class PointsView(Act):
    """Points about a design."""

    @described("points", "List points", tag=TAG, answer=PointSerializer(many=True))
    def get(self, request: SignedInApiRequest, slug: str, number: int) -> Response:
        """List the points about a design that your role shows."""
        entry = filing_for(request, slug, number, rules.organizes, rules.chairs)
        rows = queries.threads_of(entry) if rules.chairs(request.user, entry) else queries.threads_for_organizers(entry)
        return listed(request, list(rows), PointSerializer)

    @described(
        "raise_point",
        "Raise a point",
        tag=TAG,
        request=_POINT,
        example={"parameter": "metrics", "task_key": "task-1", "text": "Why this metric?", "is_blocking": True},
        created=True,
    )
    def post(self, request: SignedInApiRequest, slug: str, number: int) -> Response:
        """Raise a point as a chair. Reviewers raise points on their pages."""
        entry = filing_for(request, slug, number, rules.chairs)
        content = checked(PointForm(form_data(request.data)))
        with refusals():
            talk.open_thread(actor=request.user, filing=entry, assignment=None, **content)
        page = reverse("reviews:points", args=[slug, number])
        return done("The point is raised.", page, created=True)


_REPLY = shape_of(
    "PointReply",
    act=serializers.ChoiceField(["comment", "resolve", "reopen", "block", "unblock"]),
    text=serializers.CharField(required=False, help_text="for `comment`"),
)


class PointView(Act):
    """One point."""

    @described(
        "reply_to_point", "Reply to a point", tag=TAG, request=_REPLY, example={"act": "comment", "text": "Done."}
    )
    def post(self, request: SignedInApiRequest, slug: str, number: int, pk: int) -> Response:
        """Comment on a point as an organizer or chair. Chairs also resolve, reopen, block and unblock it."""
        entry = filing_for(request, slug, number, rules.organizes, rules.chairs)
        reader, _ = reader_of(request, entry)
        rows = queries.threads_of(entry) if reader == Side.CHAIR else queries.threads_for_organizers(entry)
        thread = get_object_or_404(rows, pk=pk)
        thread.filing = entry
        data = form_data(request.data)
        act = data.get("act") or "comment"
        if reader == Side.ORGANIZER and act != "comment":
            raise PermissionDenied("Reviewers and chairs settle points.")
        with refusals():
            if act == "comment":
                text = data.get("text", "")
                talk.add_comment(actor=request.user, thread=thread, side=reader, assignment=None, text=text)
            elif act in ("resolve", "reopen"):
                talk.settle(actor=request.user, thread=thread, resolved=act == "resolve")
            elif act in ("block", "unblock"):
                talk.set_blocking(actor=request.user, thread=thread, is_blocking=act == "block")
            else:
                raise exceptions.ValidationError({"act": ["Send comment, resolve, reopen, block or unblock."]})
        return done("The point is changed.", reverse("reviews:points", args=[slug, number]))


_DISCUSS = shape_of("DiscussionEntry", text=serializers.CharField())


class DiscussionView(Act):
    """The discussion of reviewers and chairs."""

    @described(
        "discuss_filing", "Discuss a design", tag=TAG, request=_DISCUSS, example={"text": "I agree."}, created=True
    )
    def post(self, request: SignedInApiRequest, slug: str, number: int) -> Response:
        """Add an entry to the discussion of a design as a chair."""
        entry = filing_for(request, slug, number, rules.chairs)
        with refusals():
            text = form_data(request.data).get("text", "")
            talk.discuss(actor=request.user, filing=entry, assignment=None, text=text)
        return done("The entry is added.", entry.get_absolute_url(), created=True)
