"""Acts on scoring images and on runners."""

from typing import Any

from django.http import Http404
from django.urls import reverse
from rest_framework.response import Response
from rules import test_rule

from accounts.requests import SignedInApiRequest
from api.acts.base import Act, described, done, plain_request, refusals
from challenges.views.access import phase_by_id
from executions.judging.services import deleting, trying
from executions.judging.views.pages import bringing, scoring_image
from executions.runners.models import Runner
from executions.runners.services import issuing

TAG = "machines"


def _scorers_page(slug: str, phase: int) -> str:
    return f"{reverse('judging:scorers', args=[slug])}?phase={phase}"


class ScorerTrialView(Act):
    """Tests of scoring images."""

    @described("try_scorer", "Test a scoring image again", tag=TAG)
    def post(self, request: SignedInApiRequest, slug: str, phase: int, pk: Any) -> Response:
        """Test a scoring image again on the test set of a phase."""
        challenge = bringing(plain_request(request), slug)
        phase_row = phase_by_id(challenge, phase)
        with refusals():
            trial = trying.begin_trial(archive=scoring_image(challenge, pk), phase=phase_row, actor=request.user)
        waiting = "A test is running already, or the phase has no test set yet."
        return done(waiting if trial is None else "The image is being tested.", _scorers_page(slug, phase_row.pk))


class ScorerView(Act):
    """Scoring images."""

    @described("delete_scorer", "Delete a scoring image", tag=TAG)
    def delete(self, request: SignedInApiRequest, slug: str, pk: Any) -> Response:
        """Delete a scoring image that nothing needs."""
        archive = scoring_image(bringing(plain_request(request), slug), pk)
        with refusals():
            deleting.delete_scorer(archive=archive, actor=request.user)
        return done(f"{archive.file_name} is deleted.", _scorers_page(slug, archive.phase_id))


class RunnerAct(Act):
    """Base of acts on one runner."""

    def _runner(self, request: SignedInApiRequest, pk: Any) -> Runner:
        runner = Runner.objects.select_related("challenge").filter(pk=pk).first()
        if runner is None or not test_rule("runners.manage", request.user, runner):
            raise Http404("Runner not found.")
        return runner

    def _page(self, runner: Runner) -> str:
        if runner.challenge is None:
            return reverse("runners:installation")
        return reverse("runners:challenge", args=[runner.challenge.slug])


class RunnerRevocationView(RunnerAct):
    """Revocations of runners."""

    @described("revoke_runner", "Revoke the token of a runner", tag=TAG)
    def post(self, request: SignedInApiRequest, pk: Any) -> Response:
        """Revoke the token of a runner. Its runs are given to other machines."""
        runner = self._runner(request, pk)
        issuing.revoke(runner=runner, actor=request.user)
        return done(f"The token of {runner.name} is revoked.", self._page(runner))


class RunnerHardwareView(RunnerAct):
    """Changed hardware of runners."""

    @described("accept_runner_hardware", "Accept the changed hardware of a runner", tag=TAG)
    def post(self, request: SignedInApiRequest, pk: Any) -> Response:
        """Accept the hardware that a runner reports next."""
        runner = self._runner(request, pk)
        issuing.accept_hardware(runner=runner, actor=request.user)
        return done(f"The hardware that {runner.name} reports next is accepted.", self._page(runner))
