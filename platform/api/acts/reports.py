"""Acts on reports of a challenge."""

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.requests import SignedInApiRequest
from api.acts.base import Act, ConflictError, checked, described, done, form_data, listed, refusals, shape_of
from challenges.models import Challenge
from challenges.queries import visible_challenge
from reports.exposure.queries.audience import Audience
from reports.forms import DesignForm, MakeForm, TextForm
from reports.models import Report
from reports.queries import reports
from reports.services import reports as services

TAG = "reports"


def _organized(request: Request, slug: str) -> Challenge:
    challenge = visible_challenge(request.user, slug)
    if not request.user.has_perm("reports.write_report", challenge):
        raise PermissionDenied("Reports are made by the organizers of the challenge.")
    return challenge


class ReportSerializer(serializers.ModelSerializer):
    """A report of a challenge."""

    class Meta:
        model = Report
        fields = ["number", "audience", "state", "requested_at"]


_MAKE = shape_of("MakeReport", MakeForm)


class ReportsView(Act):
    """Reports of a challenge."""

    @described("reports", "List reports", tag=TAG, answer=ReportSerializer(many=True))
    def get(self, request: SignedInApiRequest, slug: str) -> Response:
        """List the reports that were made of a challenge, the newest first."""
        return listed(request, list(reports.made_for(_organized(request, slug))), ReportSerializer)

    @described("make_report", "Create a report", tag=TAG, request=_MAKE, example={"audience": "public"}, created=True)
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Create a report of the current state in the background."""
        challenge = _organized(request, slug)
        audience = Audience(checked(MakeForm(form_data(request.data)))["audience"])
        with refusals():
            report = services.request_report(actor=request.user, challenge=challenge, audience=audience)
        message = (
            f"Nothing has changed since report {report.number}: it is shown here."
            if report.is_done
            else f"Report {report.number} is being made."
        )
        page = reverse("reports:report", kwargs={"slug": slug, "number": report.number})
        return done(message, page, key=report.number, created=True)


class PublicationView(Act):
    """Publication of a report."""

    @described("publish_report", "Publish a report", tag=TAG)
    def post(self, request: SignedInApiRequest, slug: str, number: int) -> Response:
        """Make a report public."""
        challenge = _organized(request, slug)
        report = get_object_or_404(Report.objects.select_related("challenge"), challenge=challenge, number=number)
        with refusals():
            services.publish(actor=request.user, report=report)
        return done(f"Report {report.number} is public.", reverse("reports:desk", args=[slug]))


class ReportWithdrawalView(Act):
    """Withdrawal of the public report."""

    @described("withdraw_report", "Withdraw the public report", tag=TAG)
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Withdraw the report that is public."""
        services.withdraw(actor=request.user, challenge=_organized(request, slug))
        return done("No report is public now.", reverse("reports:desk", args=[slug]))


_DESIGN = shape_of("ReportDesign", DesignForm)


class ReportDesignView(Act):
    """The design version of reports."""

    @described("choose_report_design", "Choose the design of reports", tag=TAG, request=_DESIGN, example={"version": 3})
    def post(self, request: SignedInApiRequest, slug: str) -> Response:
        """Choose the frozen version from which reports are made, for a challenge without a registration."""
        challenge = _organized(request, slug)
        form = DesignForm(form_data(request.data), versions=reports.design_versions(request.user))
        version = checked(form)["version"]
        with refusals():
            services.choose_design(actor=request.user, challenge=challenge, version=version)
        return done("Reports are made from this design from now on.", reverse("reports:desk", args=[slug]))


_TEXT = shape_of("ReportText", TextForm)


class ReportItemView(Act):
    """The text of the authors for an item of the guideline."""

    @described(
        "write_report_text",
        "Write the text of an item",
        tag=TAG,
        request=_TEXT,
        example={"text": "Our view.", "based_on": "The generated text.", "revision": 0},
    )
    def put(self, request: SignedInApiRequest, slug: str, item: str) -> Response:
        """Replace the generated text of an item. `revision` is the revision that you read, 0 for the first text."""
        challenge = self._challenge(request, slug, item)
        content = checked(TextForm(form_data(request.data)))
        content["based_on"] = content["based_on"].replace("\r\n", "\n")
        try:
            services.write_text(actor=request.user, challenge=challenge, item=item, **content)
        except services.ChangedMeanwhileError as error:
            raise ConflictError("Another person changed this text. Read it again.") from error
        message = f"Item {item} is kept. It appears in the next report."
        return done(message, reverse("reports:desk", args=[slug]))

    @described("drop_report_text", "Restore the generated text", tag=TAG)
    def delete(self, request: SignedInApiRequest, slug: str, item: str) -> Response:
        """Use the generated text of an item again."""
        services.drop_text(actor=request.user, challenge=self._challenge(request, slug, item), item=item)
        return done(f"Item {item} has its generated text again.", reverse("reports:desk", args=[slug]))

    def _challenge(self, request: Request, slug: str, item: str) -> Challenge:
        challenge = _organized(request, slug)
        if item not in services.ITEMS:
            raise Http404("The guideline has no such item.")
        return challenge
