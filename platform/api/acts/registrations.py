"""Acts on registrations: register, launch, end, comments, embargoes, change requests, drift checks."""

from typing import Any

import rules
from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.conversations import services as conversations
from accounts.conversations.queries import threads_about
from accounts.requests import SignedInApiRequest
from api.acts.base import Act, ConflictError, checked, described, done, form_data, listed, refusals, shape_of
from challenges import services as challenges
from challenges.forms.launching import LaunchForm
from challenges.models import Phase, Projection
from challenges.queries import phases_of
from challenges.queries.access import visibility_words
from datastore.test_sets.queries import has_test_set
from designs.queries import visible_design
from designs.views.access import design_for
from registry import queries, services
from registry.changes import forms as changes_forms
from registry.changes import services as changes
from registry.changes.models import ChangeRequest
from registry.changes.queries import documents, requests
from registry.drift.forms import DriftForm
from registry.drift.models import DriftCheck
from registry.drift.views import request_check
from registry.forms import EndForm, ReasonForm, RegisterForm
from registry.models import Registration

TAG = "registrations"


def _allowed(request: Request, identifier: str, permission: str, refusal: str) -> Registration:
    registration = queries.registration_or_404(identifier, request.user)
    if not request.user.has_perm(permission, registration):
        raise PermissionDenied(refusal)
    return registration


class RegisteredPhaseSerializer(serializers.Serializer):
    """A phase of the challenge of a registration."""

    id = serializers.IntegerField(source="pk")
    task = serializers.CharField(source="task.slug")
    slug = serializers.CharField()
    state = serializers.CharField()
    is_sealed = serializers.SerializerMethodField()

    def get_is_sealed(self, phase: Phase) -> bool:
        return has_test_set(phase)


class RegisteredSerializer(serializers.Serializer):
    """The registration and the challenge of a design."""

    identifier = serializers.CharField()
    challenge = serializers.CharField(allow_null=True, help_text="slug; null before the launch")
    is_open = serializers.BooleanField(help_text="whether the launch gate was passed")
    phases = RegisteredPhaseSerializer(many=True)


_REGISTER = shape_of("RegisterDesign", RegisterForm)


class RegisterView(Act):
    """Registration of a design."""

    @described("registered_design", "Show the registration of a design", tag=TAG, answer=RegisteredSerializer)
    def get(self, request: SignedInApiRequest, slug: str) -> Response:
        """Return the registration of a design that you work on, with its challenge and phases."""
        design = design_for(request, slug, "collaborate_on_design")
        registration = queries.registration_of(design)
        if registration is None:
            raise Http404("This design is not registered.")
        projection = Projection.objects.select_related("challenge").filter(registration=registration).first()
        content = {
            "identifier": registration.identifier,
            "challenge": projection.challenge.slug if projection else None,
            "is_open": projection is not None and projection.opened_at is not None,
            "phases": phases_of(projection.challenge) if projection else [],
        }
        return Response(RegisteredSerializer(content).data)

    @described(
        "register_design", "Register a design", tag=TAG, request=_REGISTER, example={"comment_days": 14}, created=True
    )
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Register a design that a call accepted. The record is permanent, and public unless you set an embargo."""
        design = visible_design(request.user, slug)
        if not request.user.has_perm("registry.register_design", design):
            raise PermissionDenied("A design is registered by its owner or by a chair, once a call has accepted it.")
        if registration := queries.registration_of(design):
            raise ConflictError(f"The design is registered already, as {registration.identifier}.")
        data = form_data(request.data)
        data.setdefault("comment_days", "0")
        form = RegisterForm(data)
        checked(form)
        with refusals():
            version = services.register_design(
                design=design,
                actor=request.user,
                comment_until=form.comment_until(),
                is_embargoed=form.cleaned_data["is_embargoed"],
            )
        registration = version.registration
        message = f"Registered as {registration.identifier}."
        return done(message, registration.get_absolute_url(), key=registration.identifier, created=True)


_LAUNCH = shape_of("LaunchChallenge", LaunchForm)


class LaunchView(Act):
    """Launch of a challenge."""

    @described(
        "launch_challenge", "Launch a challenge", tag=TAG, request=_LAUNCH, example={"slug": "hippo"}, created=True
    )
    def post(self, request: SignedInApiRequest, identifier: str) -> Response:
        """Create the challenge of a registration, with its tasks, phases and rules."""
        registration = queries.registration_or_404(identifier, request.user)
        if not rules.test_rule("challenges.launch_registration", request.user, registration):
            raise PermissionDenied("Those who may change the design launch its challenge.")
        if Projection.objects.filter(registration=registration).exists():
            raise ConflictError("This registration has been launched already.")
        data = form_data(request.data)
        data.setdefault("slug", registration.slug)
        content = checked(LaunchForm(data))
        with refusals():
            challenge = challenges.launch(actor=request.user, registration=registration, **content)
        message = f"{challenge.title} is launched. {visibility_words(challenge)}"
        page = reverse("challenges:organize", args=[challenge.slug])
        return done(message, page, key=challenge.slug, created=True)


_END = shape_of("EndRegistration", EndForm)


class EndView(Act):
    """The end of a registration."""

    @described(
        "end_registration",
        "Withdraw or abandon a registration",
        tag=TAG,
        request=_END,
        example={"state": "withdrawn", "reason": "No funding."},
    )
    def post(self, request: SignedInApiRequest, identifier: str) -> Response:
        """End a registration with a public reason; the record stays."""
        refusal = "The owner of the design or a chair of the call does this."
        registration = _allowed(request, identifier, "registry.end_registration", refusal)
        if registration.is_ended:
            raise ConflictError("This registration has ended already.")
        content = checked(EndForm(form_data(request.data)))
        with refusals():
            services.end_registration(registration=registration, actor=request.user, **content)
        return done("The record says so now; it stays in the registry.", registration.get_absolute_url())


_PLACE = shape_of("OpenValue", path=serializers.CharField(help_text="task or `challenge`, a slash, and the parameter"))


class EmbargoView(Act):
    """Withheld values of a registration."""

    @described("open_value", "Publish a withheld value", tag=TAG, request=_PLACE, example={"path": "task-1/metrics"})
    def post(self, request: SignedInApiRequest, identifier: str) -> Response:
        """Confirm that the event of a withheld value occurred, and publish the value."""
        refusal = "The owner of the design or a chair of the call does this."
        registration = _allowed(request, identifier, "registry.open_embargo", refusal)
        path = form_data(request.data).get("path", "")
        with refusals():
            version = queries.current_version(registration)
            services.open_value(version=version, field_path=path, actor=request.user)
        message = "The value is public now, with the proof that it was decided before."
        return done(message, registration.get_absolute_url())


class PublicationView(Act):
    """The end of the embargo on a registration."""

    @described("end_embargo", "Publish a registration that is under embargo", tag=TAG)
    def post(self, request: SignedInApiRequest, identifier: str) -> Response:
        """End the embargo. The complete design is public from then on."""
        registration = _allowed(request, identifier, "registry.end_whole_embargo", "The owner of the design does this.")
        if not registration.is_embargoed:
            raise ConflictError("This registration is public already.")
        services.end_embargo(registration=registration, actor=request.user)
        return done("The embargo has ended. The complete design is public.", registration.get_absolute_url())


_TEXT = shape_of("CommentText", ReasonForm)


class CommentAnswerView(Act):
    """The answer of the organizers to a comment."""

    @described("answer_comment", "Answer a comment", tag=TAG, request=_TEXT, example={"text": "Yes, see section 2."})
    def post(self, request: SignedInApiRequest, identifier: str, pk: int) -> Response:
        """Answer a comment in public, as an organizer."""
        registration = _allowed(request, identifier, "registry.answer_comment", "The organizers answer comments.")
        thread = get_object_or_404(threads_about(registration, reader=request.user), pk=pk)
        text = checked(ReasonForm(form_data(request.data)))["text"]
        with refusals():
            conversations.answer(actor=request.user, thread=thread, text=text)
        return done("The answer is public now.", reverse("registry:comments", args=[registration.identifier]))


class CommentHideView(Act):
    """Moderation of comments."""

    @described("hide_comment", "Hide a comment", tag=TAG, request=_TEXT, example={"text": "Advertising."})
    def post(self, request: SignedInApiRequest, identifier: str, pk: int) -> Response:
        """Hide a comment, as a chair. The reason is public."""
        refusal = "The chairs moderate comments."
        registration = _allowed(request, identifier, "registry.moderate_comments", refusal)
        thread = get_object_or_404(threads_about(registration, reader=request.user), pk=pk)
        reason = checked(ReasonForm(form_data(request.data)))["text"]
        with refusals():
            conversations.hide_post(actor=request.user, post=thread.posts.earliest("pk"), reason=reason)
        message = "The comment is hidden; its place and the reason stay."
        return done(message, reverse("registry:comments", args=[registration.identifier]))


class ProposalSerializer(serializers.Serializer):
    """A value in which the working design differs from the registration, or that a request proposes."""

    path = serializers.CharField(source="place", help_text="task or `challenge`, a slash, and the parameter")
    before = serializers.JSONField()
    after = serializers.JSONField()


class ProposedSerializer(serializers.Serializer):
    """One change of a request."""

    id = serializers.IntegerField(source="pk")
    task = serializers.CharField(allow_blank=True)
    parameter = serializers.CharField()
    before = serializers.JSONField()
    after = serializers.JSONField()


class ChangeRequestSerializer(serializers.ModelSerializer):
    """A change request."""

    changes = ProposedSerializer(many=True)

    class Meta:
        model = ChangeRequest
        fields = ["number", "state", "change_class", "note", "wanted_on", "requested_at", "objections_until", "changes"]


class WantedSerializer(serializers.Serializer):
    """A change that is requested."""

    path = serializers.CharField(help_text="task or `challenge`, a slash, and the parameter")
    reason = serializers.CharField()
    effect = serializers.CharField(help_text="effect on participants")


class NewChangeRequestSerializer(serializers.Serializer):
    """A request for changes of a registration."""

    changes = WantedSerializer(many=True, allow_empty=False)
    note = serializers.CharField(required=False, allow_blank=True)
    wanted_on = serializers.DateField(required=False, allow_null=True)


class ChangesView(Act):
    """Change requests of a registration."""

    @described("change_requests", "List change requests", tag=TAG, answer=ChangeRequestSerializer(many=True))
    def get(self, request: SignedInApiRequest, identifier: str) -> Response:
        """List the change requests of a registration, the newest first."""
        rows = queries.registration_or_404(identifier, request.user).change_requests.prefetch_related("changes")
        return listed(request, list(rows), ChangeRequestSerializer)

    @described(
        "request_change",
        "Request changes",
        tag=TAG,
        request=NewChangeRequestSerializer,
        example={"changes": [{"path": "task-1/tie_handling", "reason": "An error.", "effect": "None."}]},
        created=True,
    )
    def post(self, request: SignedInApiRequest, identifier: str) -> Response:
        """Request that values of the working design become registered, each with its reason and effect."""
        registration = queries.registration_or_404(identifier, request.user)
        if not rules.test_rule("changes.request", request.user, registration):
            raise PermissionDenied("Those who may change the design request changes of its registration.")
        sent = NewChangeRequestSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        content = dict(sent.validated_data)
        data: dict[str, Any] = {}
        for entry in content["changes"]:
            prefix = entry["path"].replace("/", ".")
            data |= {f"{prefix}-chosen": True, f"{prefix}-reason": entry["reason"], f"{prefix}-effect": entry["effect"]}
        proposals = documents.proposals(registration, queries.current_version(registration))
        unknown = {entry["path"] for entry in content["changes"]} - {proposal.place for proposal in proposals}
        if unknown:
            raise ConflictError(f"The working design does not differ from the registration in {min(unknown)}.")
        pairs = changes_forms.wanted_forms(proposals, form_data(data))
        for _, form in pairs:
            checked(form)
        general = changes_forms.RequestForm(form_data({key: content.get(key) for key in ("note", "wanted_on")}))
        with refusals():
            wanted = changes_forms.wanted_of(pairs)
            entry = changes.request_change(
                actor=request.user, registration=registration, wanted=wanted, **checked(general)
            )
        message = (
            f"Version {entry.result.number} applies now."
            if entry.result is not None
            else f"Change request {entry.number} waits for a decision."
        )
        return done(message, entry.get_absolute_url(), key=entry.number, created=True)


class ProposalsView(Act):
    """Differences that can become change requests."""

    @described("proposals", "List possible changes", tag=TAG, answer=ProposalSerializer(many=True))
    def get(self, request: SignedInApiRequest, identifier: str) -> Response:
        """List the values in which the working design differs from the registration."""
        registration = queries.registration_or_404(identifier, request.user)
        if not rules.test_rule("changes.request", request.user, registration):
            raise PermissionDenied("Those who may change the design request changes of its registration.")
        rows = documents.proposals(registration, queries.current_version(registration))
        return listed(request, rows, ProposalSerializer)


class ChangeView(Act):
    """One change request."""

    @described("change_request", "Show a change request", tag=TAG, answer=ChangeRequestSerializer)
    def get(self, request: SignedInApiRequest, identifier: str, number: int) -> Response:
        """Return one change request with its proposed values."""
        return Response(ChangeRequestSerializer(self.find(request, identifier, number)).data)

    def find(self, request: Request, identifier: str, number: int) -> ChangeRequest:
        """Return the change request.

        Raises
        ------
        Http404
            If the registration has no request of this number.
        """
        return requests.request_or_404(queries.registration_or_404(identifier, request.user), number)


class ChangeWithdrawalView(ChangeView):
    """Withdrawal of a change request."""

    http_method_names = ["post", "options"]

    @described("withdraw_change_request", "Withdraw a change request", tag=TAG)
    def post(self, request: SignedInApiRequest, identifier: str, number: int) -> Response:
        """Withdraw an open change request."""
        entry = self.find(request, identifier, number)
        if not rules.test_rule("changes.request", request.user, entry.registration):
            raise PermissionDenied("Those who may change the design withdraw requests.")
        with refusals():
            changes.withdraw_request(actor=request.user, request=entry)
        return done("The request is withdrawn.", entry.get_absolute_url())


class VerdictSerializer(serializers.Serializer):
    """The decision about one change."""

    change = serializers.IntegerField(help_text="id of the change")
    outcome = serializers.ChoiceField(["approve", "refuse"])
    reason = serializers.CharField(required=False, allow_blank=True)


class VerdictsSerializer(serializers.Serializer):
    """The decision about a change request."""

    verdicts = VerdictSerializer(many=True, allow_empty=False)
    as_deviation = serializers.BooleanField(required=False, default=False)


class ChangeDecisionView(ChangeView):
    """The decision about a change request."""

    http_method_names = ["post", "options"]

    @described(
        "decide_change_request",
        "Decide about a change request",
        tag=TAG,
        request=VerdictsSerializer,
        example={"verdicts": [{"change": 3, "outcome": "approve"}]},
    )
    def post(self, request: SignedInApiRequest, identifier: str, number: int) -> Response:
        """Approve or refuse each change of a request, as a chair without a part in the design."""
        entry = self.find(request, identifier, number)
        if not rules.test_rule("changes.decide", request.user, entry.registration):
            raise PermissionDenied("A chair who has no part in the design decides about its changes.")
        sent = VerdictsSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        data: dict[str, Any] = {}
        for verdict in sent.validated_data["verdicts"]:
            prefix = f"change-{verdict['change']}"
            data |= {f"{prefix}-outcome": verdict["outcome"], f"{prefix}-reason": verdict.get("reason", "")}
        pairs = changes_forms.verdict_forms(list(entry.changes.all()), form_data(data))
        for _, form in pairs:
            checked(form)
        with refusals():
            changes.decide(
                actor=request.user,
                request=entry,
                verdicts=changes_forms.verdicts_of(pairs),
                as_deviation=sent.validated_data["as_deviation"],
            )
        return done("The decision is recorded, and everyone concerned is notified.", entry.get_absolute_url())


class DriftCheckSerializer(serializers.Serializer):
    """A comparison of a text with the registration."""

    id = serializers.IntegerField(source="pk")
    title = serializers.CharField()
    checked_at = serializers.DateTimeField()
    version = serializers.CharField(source="version.number")
    same = serializers.IntegerField()
    missing = serializers.IntegerField()
    different = serializers.IntegerField()


_DRIFT = shape_of(
    "NewDriftCheck",
    title=serializers.CharField(max_length=200),
    text=serializers.CharField(required=False, help_text="text of the page or paper; or send `address`"),
    address=serializers.URLField(required=False, help_text="public address, if the installation permits requests"),
)


class DriftChecksView(Act):
    """Comparisons of texts with a registration."""

    @described("drift_checks", "List drift checks", tag=TAG, answer=DriftCheckSerializer(many=True))
    def get(self, request: SignedInApiRequest, identifier: str) -> Response:
        """List the last 200 comparisons of a page or paper with the registration."""
        rows = DriftCheck.objects.filter(registration=self._readable(request, identifier)).select_related("version")
        return listed(request, list(rows.defer("findings")[:200]), DriftCheckSerializer)

    @described(
        "check_drift",
        "Compare a text with the registration",
        tag=TAG,
        request=_DRIFT,
        example={"title": "Website on 1 March", "text": "The challenge ranks by the mean Dice score."},
        created=True,
    )
    def post(self, request: SignedInApiRequest, identifier: str) -> Response:
        """Compare a text with the registration, in the background."""
        registration = self._readable(request, identifier)
        if not rules.test_rule("drift.check", request.user, registration):
            raise PermissionDenied("Those who may change the design check for drift.")
        content = checked(DriftForm(form_data(request.data)))
        with refusals():
            request_check(request.user, registration, content)
        page = reverse("drift:list", args=[registration.identifier])
        return done("The text is being compared with the registration.", page, created=True)

    @staticmethod
    def _readable(request: Request, identifier: str) -> Registration:
        registration = queries.registration_or_404(identifier, request.user)
        if not rules.test_rule("drift.read", request.user, registration):
            raise PermissionDenied("Only people who write or decide about the design read its drift checks.")
        return registration
