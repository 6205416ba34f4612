"""Addresses of the acts of organizers and chairs."""

from typing import Any

from django.urls import path

from api.acts import (
    access,
    boards,
    calls,
    challenges,
    data_sets,
    designs,
    information,
    machines,
    registrations,
    reports,
    test_sets,
    webhooks,
)
from datastore.uploads.storage import upload_limits
from leaderboards import urls as _  # noqa: F401 (registers the converter of phases)
from web.bodies import takes_files, takes_pieces

_CHALLENGE = "challenges/<slug:slug>/"
_CALL = "calls/<slug:slug>/"
_FILING = f"{_CALL}filings/<int:number>/"
_DESIGN = "designs/<slug:slug>/"
_RECORD = "registry/<slug:identifier>/"
_CHANGE = f"{_RECORD}changes/<int:number>/"
_PHASE = f"{_CHALLENGE}phases/<int:phase>/"
_DATA_VERSION = f"{_CHALLENGE}data-sets/<slug:dataset>/versions/<int:number>/"
_ARCHIVE = f"{_CHALLENGE}archives/<uuid:pk>/"


def _address(route: str, view: Any, name: str) -> Any:
    return path(route, view.as_view(), name=name)


urlpatterns = [
    _address(f"{_CHALLENGE}open/", challenges.OpenView, "open-submissions"),
    _address(f"{_PHASE}closing/", challenges.ClosingView, "closing"),
    _address(f"{_PHASE}reminders/", challenges.RemindersView, "phase-reminders"),
    _address(f"{_PHASE}deadline/", challenges.DeadlineView, "deadline"),
    _address(f"{_CHALLENGE}access/", access.AccessView, "challenge-access"),
    _address(f"{_CHALLENGE}access/links/", access.LinksView, "access-links"),
    _address(f"{_CHALLENGE}access/links/<int:pk>/", access.LinkView, "access-link"),
    _address(f"{_CHALLENGE}access/rules/", access.RulesView, "access-rules"),
    _address(f"{_CHALLENGE}access/rules/<int:pk>/", access.RuleView, "access-rule"),
    _address(f"{_CHALLENGE}enter/", access.EntryView, "challenge-entry"),
    _address(f"{_CHALLENGE}announcements/", challenges.AnnouncementsView, "announcements"),
    _address(f"{_CHALLENGE}pictures/", information.PicturesView, "challenge-pictures"),
    _address(f"{_CHALLENGE}pages/", information.InformationPagesView, "information-pages"),
    _address(f"{_CHALLENGE}pages/<slug:page>/", information.InformationPageView, "information-page"),
    _address(f"{_CHALLENGE}organizers/", challenges.OrganizersView, "organizers"),
    _address(f"{_CHALLENGE}participants/", challenges.ParticipantsView, "participants"),
    _address(f"{_CHALLENGE}teams/", challenges.TeamsView, "teams"),
    _address(f"{_CHALLENGE}baselines/", challenges.BaselinesView, "baselines"),
    _address(f"{_CHALLENGE}concerns/", challenges.ConcernsView, "concerns"),
    _address(f"{_CHALLENGE}concerns/<int:pk>/", challenges.ConcernView, "concern"),
    _address(f"{_CHALLENGE}terms/", challenges.TermsView, "terms"),
    _address(f"{_CHALLENGE}submissions/", challenges.OrganizedSubmissionsView, "organized-submissions"),
    _address(f"{_CHALLENGE}submissions/<uuid:pk>/repeat/", challenges.RepeatView, "repeat"),
    _address(f"{_PHASE}test-sets/", test_sets.VersionsView, "test-sets"),
    _address(f"{_PHASE}test-sets/<int:version>/undo/", test_sets.UndoView, "undo-sealing"),
    path(
        f"{_PHASE}archives/",
        takes_files(lambda: upload_limits().max_bytes)(test_sets.ArchivesView.as_view()),
        name="archives",
    ),
    _address(f"{_PHASE}archive-uploads/", test_sets.UploadsView, "archive-uploads"),
    path(
        f"{_CHALLENGE}archive-uploads/<uuid:pk>/", takes_pieces(test_sets.UploadView.as_view()), name="archive-upload"
    ),
    _address(_ARCHIVE, test_sets.ArchiveView, "archive"),
    _address(f"{_ARCHIVE}seal/", test_sets.SealView, "archive-seal"),
    _address(f"{_ARCHIVE}findings/", test_sets.FindingsView, "archive-findings"),
    _address(f"{_ARCHIVE}discard/", test_sets.DiscardView, "archive-discard"),
    _address(f"{_ARCHIVE}previews/<int:number>.png", test_sets.PreviewView, "archive-preview"),
    _address(f"{_CHALLENGE}data-sets/", data_sets.DatasetsView, "data-sets"),
    _address(f"{_CHALLENGE}data-sets/<slug:dataset>/versions/", data_sets.DatasetVersionsView, "data-versions"),
    _address(f"{_DATA_VERSION}release/", data_sets.ReleaseView, "data-release"),
    _address(f"{_DATA_VERSION}withdraw/", data_sets.DataWithdrawalView, "data-withdrawal"),
    _address(f"{_DATA_VERSION}uploads/", data_sets.UploadsView, "data-uploads"),
    path(f"{_CHALLENGE}data-uploads/<uuid:pk>/", takes_pieces(data_sets.UploadView.as_view()), name="data-upload"),
    _address(f"{_CHALLENGE}data-files/<int:file>/", data_sets.DraftFileView, "data-file"),
    _address(f"{_CHALLENGE}data-publication/", data_sets.PublicationView, "data-publication"),
    _address(f"{_CHALLENGE}case-reports/", test_sets.CaseReportsView, "case-reports"),
    _address(f"{_CHALLENGE}case-reports/<int:pk>/", test_sets.CaseReportView, "case-report"),
    _address(f"{_CHALLENGE}case-reports/<int:pk>/exclude/", test_sets.CaseExclusionView, "case-exclusion"),
    _address(f"{_CHALLENGE}rankings/<phase:key>/request/", boards.RankingRequestView, "ranking-request"),
    _address(f"{_CHALLENGE}rankings/<phase:key>/freeze/", boards.FreezeView, "ranking-freeze"),
    _address(f"{_PHASE}scorers/<uuid:pk>/try/", machines.ScorerTrialView, "scorer-trial"),
    _address(f"{_CHALLENGE}scorers/<uuid:pk>/", machines.ScorerView, "scorer"),
    _address("runners/<uuid:pk>/revoke/", machines.RunnerRevocationView, "runner-revocation"),
    _address("runners/<uuid:pk>/accept/", machines.RunnerHardwareView, "runner-hardware"),
    _address(f"{_CHALLENGE}webhooks/", webhooks.ChallengeWebhooksView, "webhooks"),
    _address(f"{_CALL}webhooks/", webhooks.CallWebhooksView, "call-webhooks"),
    _address("webhooks/<uuid:pk>/", webhooks.WebhookView, "webhook"),
    _address("webhooks/<uuid:pk>/test/", webhooks.WebhookTestView, "webhook-test"),
    _address("webhooks/<uuid:pk>/secret/", webhooks.WebhookSecretView, "webhook-secret"),
    _address("webhooks/<uuid:pk>/deliveries/<uuid:delivery>/", webhooks.WebhookDeliveryView, "webhook-delivery"),
    _address(f"{_CHALLENGE}reports/", reports.ReportsView, "reports"),
    _address(f"{_CHALLENGE}reports/<int:number>/publish/", reports.PublicationView, "report-publication"),
    _address(f"{_CHALLENGE}reports/withdraw/", reports.ReportWithdrawalView, "report-withdrawal"),
    _address(f"{_CHALLENGE}reports/design/", reports.ReportDesignView, "report-design"),
    _address(f"{_CHALLENGE}reports/items/<slug:item>/", reports.ReportItemView, "report-item"),
    _address("calls/", calls.CallsView, "calls"),
    _address(_CALL, calls.CallView, "call"),
    _address(f"{_CALL}questions/", calls.QuestionsView, "call-questions"),
    _address(f"{_CALL}questions/<int:pk>/", calls.QuestionView, "call-question"),
    _address(f"{_CALL}mails/<slug:kind>/", calls.MailTextView, "call-mail"),
    _address(f"{_CALL}messages/", calls.MessagesView, "call-messages"),
    _address(f"{_CALL}reviewers/", calls.ReviewersView, "call-reviewers"),
    _address(f"{_CALL}reviewers/<int:pk>/", calls.ReviewerView, "call-reviewer"),
    _address(f"{_CALL}invitations/", calls.ReviewerInvitationsView, "call-invitations"),
    _address(f"{_CALL}invitations/<int:pk>/", calls.ReviewerInvitationView, "call-invitation"),
    _address(f"{_CALL}chairs/", calls.ChairsView, "call-chairs"),
    _address(f"{_CALL}chairs/<int:pk>/", calls.ChairView, "call-chair"),
    _address(f"{_CALL}filings/", calls.FilingsView, "filings"),
    _address(f"{_CALL}decisions/", calls.DecisionsView, "call-decisions"),
    _address(f"{_CALL}assignments/", calls.AssignmentsView, "call-assignments"),
    _address(f"{_CALL}assignments/automatic/", calls.AutomaticView, "call-automatic"),
    _address(f"{_CALL}assignments/letters/", calls.LettersView, "call-letters"),
    _address(f"{_CALL}assignments/reminders/", calls.ReviewRemindersView, "call-reminders"),
    _address(_FILING, calls.FilingView, "filing"),
    _address(f"{_FILING}withdraw/", calls.WithdrawalView, "filing-withdrawal"),
    _address(f"{_FILING}revision/", calls.RevisionView, "filing-revision"),
    _address(f"{_FILING}start/", calls.StartView, "filing-start"),
    _address(f"{_FILING}decision/", calls.DecisionView, "filing-decision"),
    _address(f"{_FILING}assignments/", calls.AssignView, "filing-assign"),
    _address(f"{_FILING}assignments/<int:pk>/", calls.AssignmentView, "filing-assignment"),
    _address(f"{_FILING}points/", calls.PointsView, "filing-points"),
    _address(f"{_FILING}points/<int:pk>/", calls.PointView, "filing-point"),
    _address(f"{_FILING}discussion/", calls.DiscussionView, "filing-discussion"),
    _address(f"{_DESIGN}registration/", registrations.RegisterView, "register"),
    _address(f"{_RECORD}launch/", registrations.LaunchView, "launch"),
    _address(f"{_RECORD}end/", registrations.EndView, "registration-end"),
    _address(f"{_RECORD}publication/", registrations.PublicationView, "registration-publication"),
    _address(f"{_RECORD}embargo/", registrations.EmbargoView, "registration-embargo"),
    _address(f"{_RECORD}comments/<int:pk>/answer/", registrations.CommentAnswerView, "comment-answer"),
    _address(f"{_RECORD}comments/<int:pk>/hide/", registrations.CommentHideView, "comment-hide"),
    _address(f"{_RECORD}drift-checks/", registrations.DriftChecksView, "drift-checks"),
    _address(f"{_RECORD}proposals/", registrations.ProposalsView, "proposals"),
    _address(f"{_RECORD}changes/", registrations.ChangesView, "changes"),
    _address(_CHANGE, registrations.ChangeView, "change"),
    _address(f"{_CHANGE}withdraw/", registrations.ChangeWithdrawalView, "change-withdrawal"),
    _address(f"{_CHANGE}decision/", registrations.ChangeDecisionView, "change-decision"),
    _address(f"{_DESIGN}people/", designs.CollaboratorsView, "collaborators"),
    _address(f"{_DESIGN}people/<int:pk>/", designs.CollaboratorView, "collaborator"),
    _address(f"{_DESIGN}invitations/", designs.DesignInvitationsView, "design-invitations"),
    _address(f"{_DESIGN}invitations/<int:pk>/", designs.DesignInvitationView, "design-invitation"),
    _address(f"{_DESIGN}tasks/", designs.TasksView, "design-tasks"),
    _address(f"{_DESIGN}tasks/<slug:task>/", designs.TaskView, "design-task"),
    _address(f"{_DESIGN}warnings/", designs.WarningView, "design-warning"),
    _address(f"{_DESIGN}embargoes/<int:pk>/open/", designs.DesignEmbargoView, "design-embargo"),
    _address(f"{_DESIGN}rehearsal/", designs.RehearsalView, "design-rehearsal"),
    _address(f"{_DESIGN}tasks/<slug:task>/simulation/", designs.SimulationView, "task-simulation"),
    _address(f"{_DESIGN}tasks/<slug:task>/advice/", designs.AdviceView, "task-advice"),
    _address(f"{_DESIGN}duplicate/", designs.DuplicateView, "design-duplicate"),
]
