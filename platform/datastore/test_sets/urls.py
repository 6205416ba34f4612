"""Addresses below a challenge; `slug` is the challenge's."""

from django.urls import path

from datastore.test_sets.views import case_reports, decisions, dry_runs, findings, overlaps, pages, uploads

app_name = "test_sets"
urlpatterns = [
    path("cases/reports/", case_reports.reports, name="case_reports"),
    path("cases/reports/<int:pk>/answer/", case_reports.answer, name="answer_case_report"),
    path("cases/reports/<int:pk>/exclude/", case_reports.exclude, name="exclude_case"),
    path("phases/<int:phase>/references/<str:case>/", dry_runs.reference, name="public_reference"),
    path("organize/test-sets/", pages.test_sets, name="test_sets"),
    path("organize/test-sets/<int:phase>/archives/", pages.archives, name="test_set_archives"),
    path("organize/test-sets/archives/<uuid:pk>/seal/", decisions.seal, name="seal_archive"),
    path("organize/test-sets/archives/<uuid:pk>/discard/", decisions.discard, name="discard_archive"),
    path("organize/test-sets/archives/<uuid:pk>/previews/<int:number>.png", decisions.preview, name="archive_preview"),
    path("organize/test-sets/archives/<uuid:pk>/findings/", findings.findings, name="archive_findings"),
    path("organize/test-sets/archives/<uuid:pk>/findings/accept/", findings.accept, name="accept_findings"),
    path("organize/test-sets/archives/<uuid:pk>/findings/<int:finding>.png", findings.picture, name="finding_picture"),
    path("organize/test-sets/<int:phase>/uploads/", uploads.create, name="test_set_uploads"),
    path("organize/test-sets/uploads/<uuid:pk>/", uploads.upload, name="test_set_upload"),
    path("organize/test-sets/<int:phase>/template.zip", pages.template, name="test_set_template"),
    path("organize/test-sets/<int:phase>/access.csv", pages.access_csv, name="reference_access_csv"),
    path("organize/test-sets/<int:phase>/<int:version>/cases.csv", pages.cases_csv, name="test_set_csv"),
    path("organize/test-sets/<int:phase>/<int:version>/overlaps/", overlaps.overlaps, name="overlaps"),
    path(
        "organize/test-sets/<int:phase>/<int:version>/overlaps/<int:pair>-<int:side>.png",
        overlaps.picture,
        name="overlap_picture",
    ),
    path("organize/test-sets/<int:phase>/<int:version>/undo/", pages.undo, name="undo_sealing"),
    path(
        "organize/test-sets/<int:phase>/<int:version>/references/<str:case>/",
        pages.reference,
        name="reference",
    ),
]
