from typing import Any

from django.urls import path
from drf_spectacular.views import SpectacularAPIView
from rest_framework.routers import SimpleRouter

from api.acts.urls import urlpatterns as acts
from api.algorithms import views as algorithms
from api.analyses.views import AnalysisViewSet
from api.datasets.views import DataAddressView, DataView
from api.designs.views import DesignViewSet
from api.federation.views import FederationView, FilesView, MessagesView
from api.measurements.views import MeasurementViewSet
from api.overlaps.views import OverlapQuestionsView, OverlapQuestionView
from api.rankings.views import RankingsView, RankingView
from api.registry.views import RegistrationViewSet
from api.runners import views as runners
from api.submissions.views import ExpectationView, StarterKitView, SubmissionViewSet
from api.uploads.direct import DirectEndView, DirectPartsView, DirectUploadsView, DirectUploadView
from api.uploads.form_files import FormFilesView, FormFileView
from api.uploads.views import UploadsView, UploadView
from api.views import ChallengeViewSet, DocumentationView, MeView
from evaluation.federation.envelope import MOST_BYTES
from evaluation.test_set_quality.sketches import MOST_BYTES as MOST_SKETCH_BYTES
from leaderboards import urls as _  # noqa: F401 (registers the converter of phases)
from leaderboards.workbench.forms import most_bytes
from web.bodies import takes_files, takes_messages, takes_pieces

app_name = "api"


_ONE_ANALYSIS: dict[str, str | Any] = {"get": "retrieve", "patch": "partial_update", "delete": "destroy"}

_MEASUREMENT = "challenges/<slug:slug>/measurements/<int:pk>/"

_OVERLAPS = "challenges/<slug:slug>/phases/<int:phase>/overlap-questions/"

router = SimpleRouter()
router.register("challenges", ChallengeViewSet, basename="challenge")
router.register("submissions", SubmissionViewSet, basename="submission")
router.register("designs", DesignViewSet, basename="design")
router.register("registry", RegistrationViewSet, basename="registration")

urlpatterns = [
    path("schema/", SpectacularAPIView.as_view(api_version="v1"), name="schema"),
    path("docs/", DocumentationView.as_view(url_name="api:schema"), name="docs"),
    path("me/", MeView.as_view(), name="me"),
    path("challenges/<slug:slug>/uploads/", UploadsView.as_view(), name="uploads"),
    path("challenges/<slug:slug>/uploads/<uuid:pk>/", takes_pieces(UploadView.as_view()), name="upload"),
    path("challenges/<slug:slug>/direct-uploads/", DirectUploadsView.as_view(), name="direct-uploads"),
    path("challenges/<slug:slug>/direct-uploads/<uuid:pk>/", DirectUploadView.as_view(), name="direct-upload"),
    path("challenges/<slug:slug>/direct-uploads/<uuid:pk>/parts/", DirectPartsView.as_view(), name="direct-parts"),
    path("challenges/<slug:slug>/direct-uploads/<uuid:pk>/end/", DirectEndView.as_view(), name="direct-end"),
    path("files/", FormFilesView.as_view(), name="files"),
    path("files/<uuid:pk>/", takes_pieces(FormFileView.as_view()), name="file"),
    path("challenges/<slug:slug>/phases/<int:phase>/expectation/", ExpectationView.as_view(), name="phase-expectation"),
    path("challenges/<slug:slug>/phases/<int:phase>/starter-kit/", StarterKitView.as_view(), name="starter-kit"),
    path("challenges/<slug:slug>/data/", DataView.as_view(), name="data"),
    path("challenges/<slug:slug>/data/files/<int:file>/address/", DataAddressView.as_view(), name="data-address"),
    path("challenges/<slug:slug>/rankings/", RankingsView.as_view(), name="rankings"),
    path("challenges/<slug:slug>/rankings/<phase:key>/", RankingView.as_view(), name="ranking"),
    path(
        "challenges/<slug:slug>/phases/<int:phase>/measurements/",
        takes_files(lambda: 2 * most_bytes())(MeasurementViewSet.as_view({"get": "brought", "post": "create"})),
        name="measurements",
    ),
    path(_MEASUREMENT, MeasurementViewSet.as_view({"get": "retrieve"}), name="measurement"),
    path(f"{_MEASUREMENT}columns/", MeasurementViewSet.as_view({"post": "columns"}), name="measurement-columns"),
    path(f"{_MEASUREMENT}seal/", MeasurementViewSet.as_view({"post": "seal"}), name="measurement-seal"),
    path(f"{_MEASUREMENT}discard/", MeasurementViewSet.as_view({"post": "discard"}), name="measurement-discard"),
    path(
        "analyses/",
        takes_files(most_bytes)(AnalysisViewSet.as_view({"get": "list", "post": "create"})),
        name="analyses",
    ),
    path("analyses/<str:key>/", AnalysisViewSet.as_view(_ONE_ANALYSIS), name="analysis-detail"),
    path("analyses/<str:key>/answers/", AnalysisViewSet.as_view({"post": "answers"}), name="analysis-answers"),
    path("analyses/<str:key>/files/<str:name>/", AnalysisViewSet.as_view({"get": "file"}), name="analysis-file"),
    path(_OVERLAPS, takes_files(lambda: MOST_SKETCH_BYTES)(OverlapQuestionsView.as_view()), name="overlap-questions"),
    path(f"{_OVERLAPS}<uuid:pk>/", OverlapQuestionView.as_view(), name="overlap-question"),
    path("sites/<str:federation>/", FederationView.as_view(), name="federation"),
    path("sites/<str:federation>/messages/", takes_messages(MOST_BYTES)(MessagesView.as_view()), name="site-messages"),
    path("sites/<str:federation>/files/", takes_messages(MOST_BYTES)(FilesView.as_view()), name="site-files"),
    path(
        "challenges/<slug:slug>/phases/<int:phase>/algorithm-uploads/",
        algorithms.AlgorithmUploadsView.as_view(),
        name="algorithm-uploads",
    ),
    path(
        "challenges/<slug:slug>/algorithm-uploads/<uuid:pk>/",
        takes_pieces(algorithms.AlgorithmUploadView.as_view()),
        name="algorithm-upload",
    ),
    path(
        "challenges/<slug:slug>/phases/<int:phase>/algorithms/", algorithms.AlgorithmsView.as_view(), name="algorithms"
    ),
    path("runs/", algorithms.AlgorithmRunsView.as_view(), name="runs"),
    path("runs/<uuid:pk>/", algorithms.AlgorithmRunView.as_view(), name="run"),
    path("runs/<uuid:pk>/cancel/", algorithms.CancelRunView.as_view(), name="run-cancel"),
    path("runs/<uuid:pk>/logs/", algorithms.RunLogsView.as_view(), name="run-logs"),
    path("runner/", runners.ReportView.as_view(), name="runner"),
    path("runner/runs/", runners.RunsView.as_view(), name="runner-runs"),
    path("runner/runs/<uuid:pk>/", runners.RunView.as_view(), name="runner-run"),
    path("runner/runs/<uuid:pk>/heartbeat/", runners.BeatView.as_view(), name="runner-heartbeat"),
    path("runner/runs/<uuid:pk>/outputs/", takes_pieces(runners.OutputsView.as_view()), name="runner-outputs"),
    path("runner/runs/<uuid:pk>/measurements/", runners.MeasurementsView.as_view(), name="runner-measurements"),
    path("runner/runs/<uuid:pk>/finish/", runners.FinishView.as_view(), name="runner-finish"),
    path("runner/runs/<uuid:pk>/release/", runners.ReleaseView.as_view(), name="runner-release"),
    path("runner/inputs/<str:token>/", runners.InputView.as_view(), name="runner-input"),
    *acts,
    *router.urls,
]
