"""Addresses below a challenge; `slug` is the challenge's."""

from django.urls import path

from submissions.views import (
    cases,
    comparison,
    methods,
    organize,
    submissions,
    submit,
    test_set_uploads,
    test_sets,
    tus,
    work,
)

app_name = "submissions"
urlpatterns = [
    path("submit/", submit.submit, name="submit"),
    path("uploads/", tus.create, name="uploads"),
    path("uploads/<uuid:pk>/", tus.upload, name="upload"),
    path("submissions/", submissions.own, name="own"),
    path("submissions/history/", comparison.history, name="history"),
    path("submissions/history.csv", comparison.history_csv, name="history_csv"),
    path("submissions/history/<int:number>.json", comparison.history_json, name="history_json"),
    path("submissions/compare/", comparison.two, name="compare"),
    path("submissions/<uuid:pk>/", submissions.detail, name="detail"),
    path("submissions/<uuid:pk>/status/", submissions.status, name="status"),
    path("submissions/<uuid:pk>/decide/", submissions.decide, name="decide"),
    path("submissions/<uuid:pk>/method/", methods.edit, name="describe"),
    path("methods/<uuid:pk>/", methods.public, name="method"),
    path("submissions/<uuid:pk>/results.csv", submissions.results_csv, name="results_csv"),
    path("submissions/<uuid:pk>/cases/<str:case>/", cases.own_case, name="case"),
    path("submissions/<uuid:pk>/cases/<str:case>/picture/", cases.picture, name="case_picture"),
    path("submissions/<uuid:pk>/cases/<str:case>/picture.png", cases.picture_png, name="case_picture_png"),
    path("organize/work/", work.work, name="work"),
    path("organize/work/days.json", work.days_json, name="days_json"),
    path("organize/work/days.csv", work.days_csv, name="days_csv"),
    path("organize/work/repeat/", work.repeat_many, name="repeat_many"),
    path("organize/export.zip", work.export, name="export"),
    path("organize/submissions/", organize.submissions, name="organize"),
    path("organize/submissions/<uuid:pk>/repeat/", organize.repeat, name="repeat"),
    path("organize/submissions/<uuid:pk>/archive/", organize.archive, name="archive"),
    path("organize/phases/<int:phase>/results.csv", organize.results_csv, name="organize_results_csv"),
    path("organize/test-sets/", test_sets.test_sets, name="test_sets"),
    path("organize/test-sets/<int:phase>/archives/", test_sets.archives, name="test_set_archives"),
    path("organize/test-sets/<int:phase>/uploads/", test_set_uploads.create, name="test_set_uploads"),
    path("organize/test-sets/uploads/<uuid:pk>/", test_set_uploads.upload, name="test_set_upload"),
    path("organize/test-sets/<int:phase>/<int:version>/decoys.csv", test_sets.decoys_csv, name="decoys_csv"),
    path("organize/test-sets/<int:phase>/access.csv", test_sets.access_csv, name="reference_access_csv"),
    path("organize/test-sets/<int:phase>/<int:version>/cases.csv", test_sets.cases_csv, name="test_set_csv"),
    path(
        "organize/test-sets/<int:phase>/<int:version>/references/<str:case>/",
        test_sets.reference,
        name="reference",
    ),
    path("organize/cases/<str:case>/", cases.organized_case, name="organized_case"),
]
