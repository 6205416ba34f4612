"""Acts on the people and tasks of a design, and on its withheld values."""

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from rest_framework import serializers
from rest_framework.response import Response

from accounts.people.services import invitations
from accounts.people.tables import letter_message
from accounts.requests import SignedInApiRequest
from api.acts.base import Act, checked, described, done, form_data, listed, one_of, refusals, shape_of
from designs import services
from designs.forms import AnswerForm, InvitationForm
from designs.forms.trials import SimulationForm
from designs.models import Collaborator, Design, FieldValue, Rehearsal, Simulation
from designs.services import rehearsals, simulations
from designs.views.access import design_for, is_insider, task_of
from designs.views.advice import answer_advice
from evaluation.advice.simulation import FEWEST_CASES, FEWEST_TEAMS, MAX_CASES, MAX_TEAMS

TAG = "designs"


class CollaboratorSerializer(serializers.Serializer):
    """A person who works on a design."""

    id = serializers.IntegerField(source="pk")
    username = serializers.CharField(source="user.username")
    name = serializers.CharField(source="user.display_name")
    role = serializers.ChoiceField(Collaborator.Role.choices)


class CollaboratorsView(Act):
    """People of a design."""

    @described("collaborators", "List the people of a design", tag=TAG, answer=CollaboratorSerializer(many=True))
    def get(self, request: SignedInApiRequest, slug: str) -> Response:
        """List the people who write a design, with their roles."""
        design = design_for(request, slug, "collaborate_on_design")
        return listed(request, list(design.collaborators.select_related("user")), CollaboratorSerializer)


_ROLE = shape_of("CollaboratorRole", role=serializers.ChoiceField(Collaborator.Role.choices))


class CollaboratorView(Act):
    """One person of a design."""

    @described("change_collaborator", "Change a role", tag=TAG, request=_ROLE, example={"role": "editor"})
    def patch(self, request: SignedInApiRequest, slug: str, pk: int) -> Response:
        """Give a person another role in a design."""
        design = design_for(request, slug)
        part = get_object_or_404(Collaborator.objects.select_related("user"), pk=pk, design=design)
        design_for(request, slug, "manage_design")
        with refusals():
            services.change_role(actor=request.user, collaborator=part, role=form_data(request.data).get("role", ""))
        return done("The list of people is changed.", reverse("designs:people", args=[slug]))

    @described("remove_collaborator", "Remove a person", tag=TAG)
    def delete(self, request: SignedInApiRequest, slug: str, pk: int) -> Response:
        """End the part of a person in a design. You can always end your own part."""
        design = design_for(request, slug)
        part = get_object_or_404(Collaborator.objects.select_related("user"), pk=pk, design=design)
        if part.user_id != request.user.pk:
            design_for(request, slug, "manage_design")
        with refusals():
            services.remove_collaborator(actor=request.user, collaborator=part)
        return done("The list of people is changed.", reverse("designs:list"))


class DesignInvitationSerializer(serializers.Serializer):
    """An invitation into a design."""

    id = serializers.IntegerField(source="pk")
    email = serializers.EmailField()
    role = serializers.CharField()
    is_open = serializers.BooleanField()


_INVITE = shape_of("InviteCollaborator", InvitationForm)


class DesignInvitationsView(Act):
    """Invitations into a design."""

    @described("design_invitations", "List invitations", tag=TAG, answer=DesignInvitationSerializer(many=True))
    def get(self, request: SignedInApiRequest, slug: str) -> Response:
        """List the invitations into a design."""
        design = design_for(request, slug, "manage_design")
        return listed(request, list(design.invitations.all()), DesignInvitationSerializer)

    @described(
        "invite_collaborator",
        "Invite a person",
        tag=TAG,
        request=_INVITE,
        example={"email": "co.author@example.org", "role": "editor"},
        created=True,
    )
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Invite a person by e-mail to work on a design."""
        design = design_for(request, slug, "manage_design")
        content = checked(InvitationForm(form_data(request.data)))
        with refusals():
            invitation = invitations.invite(actor=request.user, target=design, **content)
        page = reverse("designs:people", args=[slug])
        return done(letter_message(invitation)[1], page, key=invitation.pk, created=True)


class DesignInvitationView(Act):
    """One invitation into a design."""

    @described("withdraw_design_invitation", "Withdraw an invitation", tag=TAG)
    def delete(self, request: SignedInApiRequest, slug: str, pk: int) -> Response:
        """Withdraw an invitation into a design."""
        design = design_for(request, slug, "manage_design")
        invitations.withdraw(actor=request.user, invitation=get_object_or_404(design.invitations, pk=pk))
        return done("The invitation is withdrawn.", reverse("designs:people", args=[slug]))


_TASK = shape_of(
    "NewTask",
    name=serializers.CharField(max_length=200),
    like=serializers.CharField(required=False, help_text="key of the task to copy"),
)


class TasksView(Act):
    """Tasks of a design."""

    @described("add_task", "Add a task", tag=TAG, request=_TASK, example={"name": "Tumour"}, created=True)
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Add a task to a design, empty or as a copy of another task."""
        design, data = design_for(request, slug, "edit_design"), form_data(request.data)
        with refusals():
            like = task_of(design, data.get("like"))
            name = (data.get("name") or "").strip()[:200]
            task = services.add_task(actor=request.user, design=design, name=name, like=like)
        return done("The task is added.", design.get_absolute_url(), key=task.key, created=True)


class TaskView(Act):
    """One task of a design."""

    @described("remove_task", "Remove a task", tag=TAG)
    def delete(self, request: SignedInApiRequest, slug: str, task: str) -> Response:
        """Remove a task from a design; its values stay in the history."""
        design = design_for(request, slug, "edit_design")
        entry = task_of(design, task)
        if entry is None:
            raise Http404("Task not found.")
        with refusals():
            services.remove_task(actor=request.user, task=entry)
        return done("The task is removed; its values stay in the history.", design.get_absolute_url())


_ANSWER = shape_of("AnswerWarning", AnswerForm)


class WarningView(Act):
    """Answers to warnings of checks."""

    @described(
        "answer_warning",
        "Answer a warning",
        tag=TAG,
        request=_ANSWER,
        example={"check_id": "few_cases", "task": "task-1", "basis": "…", "text": "A rare disease."},
    )
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """State why a warning of a check is not followed. `basis` is the digest that the check shows."""
        design = design_for(request, slug, "edit_design")
        content = checked(AnswerForm(form_data(request.data)))
        task = task_of(design, content.pop("task"))
        with refusals():
            services.answer_check(actor=request.user, design=design, task=task, **content)
        return done("The answer is kept beside the warning.", reverse("designs:checks", args=[slug]))


class DesignEmbargoView(Act):
    """Withheld values of a design."""

    @described("open_design_value", "Open a withheld value", tag=TAG)
    def post(self, request: SignedInApiRequest, slug: str, pk: int) -> Response:
        """Confirm that the event of a withheld value occurred, which discloses the value."""
        design = design_for(request, slug, "manage_design")
        field = get_object_or_404(FieldValue, design=design, pk=pk)
        with refusals():
            services.open_embargo(actor=request.user, field=field)
        message = "The value is open now, with the proof that it was decided before."
        return done(message, reverse("designs:versions", args=[slug]))


class DuplicateView(Act):
    """Copies of designs."""

    @described("duplicate_design", "Copy a design", tag=TAG, created=True)
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Start a new design with the content of another one that you can read."""
        design = design_for(request, slug)
        title, insider = f"{design.title} (copy)"[:200], is_insider(request, design)
        with refusals():
            copy = services.duplicate_design(actor=request.user, design=design, title=title, insider=insider)
        return done(
            "This is the copy. Give it a name and a year of its own.",
            copy.get_absolute_url(),
            key=copy.slug,
            created=True,
        )


class RehearsalSerializer(serializers.Serializer):
    """The newest rehearsal of a design."""

    id = serializers.IntegerField(source="pk")
    state = serializers.ChoiceField(Rehearsal.State.choices)
    digest = serializers.CharField(help_text="SHA-256 of the rehearsed document")
    is_passed = serializers.BooleanField()
    problem = serializers.CharField(help_text="why it failed on our side; empty otherwise")
    result = serializers.JSONField(
        allow_null=True, help_text="tasks with obstacles, sample submissions and sample board"
    )


class RehearsalView(Act):
    """Rehearsals of a design on sample data."""

    @described("design_rehearsal", "Show the newest rehearsal", tag=TAG, answer=RehearsalSerializer)
    def get(self, request: SignedInApiRequest, slug: str) -> Response:
        """Return the newest rehearsal of a design with its result."""
        rehearsal = self._design(request, slug, "view_design").rehearsals.first()
        if rehearsal is None:
            raise Http404("This design was not rehearsed yet.")
        return Response(RehearsalSerializer(rehearsal).data)

    @described("rehearse_design", "Rehearse a design", tag=TAG, created=True)
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Rehearse the design as it is now on sample data, in the background."""
        design = self._design(request, slug, "edit_design")
        rehearsal = rehearsals.request_rehearsal(actor=request.user, design=design)
        page = reverse("designs:rehearsal", args=[slug])
        return done("The rehearsal is queued.", page, key=rehearsal.pk, created=True)

    @staticmethod
    def _design(request: SignedInApiRequest, slug: str, permission: str) -> Design:
        design = design_for(request, slug, permission)
        if not is_insider(request, design):
            raise PermissionDenied("Rehearsals are for the people who write or review the design.")
        return design


class SimulationSerializer(serializers.Serializer):
    """The newest simulation of a task."""

    id = serializers.IntegerField(source="pk")
    state = serializers.ChoiceField(Simulation.State.choices)
    options = serializers.JSONField()
    problem = serializers.CharField()
    result = serializers.JSONField(allow_null=True)


_SIMULATE = shape_of(
    "SimulateTask",
    cases=serializers.IntegerField(min_value=FEWEST_CASES, max_value=MAX_CASES),
    teams=serializers.IntegerField(min_value=FEWEST_TEAMS, max_value=MAX_TEAMS),
    typical=serializers.FloatField(required=False, help_text="score of a typical team on a typical case"),
    between_cases=serializers.FloatField(required=False, help_text="spread between cases"),
    between_teams=serializers.FloatField(required=False, help_text="spread between teams"),
    noise=serializers.FloatField(required=False, help_text="spread of a team on a case"),
)


class SimulationView(Act):
    """Simulated challenges of a task."""

    @described("task_simulation", "Show the newest simulation", tag=TAG, answer=SimulationSerializer)
    def get(self, request: SignedInApiRequest, slug: str, task: str) -> Response:
        """Return the newest simulation of a task with its result."""
        design = design_for(request, slug, "collaborate_on_design")
        simulation = Simulation.objects.filter(task__design=design, task__key=task).defer("assessment").first()
        if simulation is None:
            raise Http404("This task was not simulated yet.")
        return Response(SimulationSerializer(simulation).data)

    @described(
        "simulate_task",
        "Simulate challenges of a task",
        tag=TAG,
        request=_SIMULATE,
        example={"cases": 100, "teams": 12},
        created=True,
    )
    def post(self, request: SignedInApiRequest, slug: str, task: str) -> Response:
        """Simulate challenges with the registered ranking, to see how often a winner would be confirmed."""
        design_task = task_of(design_for(request, slug, "edit_design"), task)
        if design_task is None:
            raise Http404("Task not found.")
        form = SimulationForm(form_data(request.data))
        checked(form)
        with refusals():
            simulation = simulations.request_simulation(actor=request.user, task=design_task, options=form.options)
        page = reverse("designs:simulation", args=[slug, task])
        return done("The simulation is queued.", page, key=simulation.pk, created=True)


_ADVICE = shape_of(
    "AnswerAdvice",
    act=serializers.ChoiceField(
        ["answer", "choose", "take", "scheme", "reason"],
        help_text=(
            "`answer` needs item and answer, `choose` guide and option, `scheme` scheme, `reason` departure and text; "
            "`take` adopts the recommended metrics"
        ),
    ),
    **{
        name: serializers.CharField(required=False, allow_blank=True)
        for name in ("item", "answer", "region", "guide", "option", "scheme", "departure", "text")
    },
)


class AdviceView(Act):
    """Answers to the questions of the metric recommender."""

    @described(
        "answer_advice",
        "Answer the metric recommender",
        tag=TAG,
        request=_ADVICE,
        example={"act": "answer", "item": "FP2.5.1", "answer": "yes"},
    )
    def post(self, request: SignedInApiRequest, slug: str, task: str) -> Response:
        """Store an answer, a choice or a reason, or adopt the recommended metrics or a published scheme."""
        design_task = task_of(design_for(request, slug, "edit_design"), task)
        if design_task is None:
            raise Http404("Task not found.")
        data = form_data(request.data)
        act = one_of(data, "act", ["answer", "choose", "take", "scheme", "reason"])
        with refusals():
            message = answer_advice(actor=request.user, task=design_task, act=act, content=data)
        return done(message or "The answer is stored.", reverse("designs:task_advice", args=[slug, task]))
