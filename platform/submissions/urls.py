"""Addresses below a challenge; `slug` is the challenge's."""

from django.urls import path

from submissions.views import decoys, methods, organize, submissions, submit, uploads, work

app_name = "submissions"
urlpatterns = [
    path("submit/", submit.submit, name="submit"),
    path("uploads/", uploads.create, name="uploads"),
    path("uploads/<uuid:pk>/", uploads.upload, name="upload"),
    path("submissions/", submissions.own, name="own"),
    path("submissions/own.csv", submissions.own_csv, name="own_csv"),
    path("submissions/<uuid:pk>/", submissions.detail, name="detail"),
    path("submissions/<uuid:pk>/status/", submissions.status, name="status"),
    path("submissions/<uuid:pk>/decide/", submissions.decide, name="decide"),
    path("submissions/<uuid:pk>/method/", methods.edit, name="describe"),
    path("methods/<uuid:pk>/", methods.public, name="method"),
    path("submissions/<uuid:pk>/results.csv", submissions.results_csv, name="results_csv"),
    path("organize/work/", work.work, name="work"),
    path("organize/work/days.json", work.days_json, name="days_json"),
    path("organize/work/days.csv", work.days_csv, name="days_csv"),
    path("organize/work/probing.csv", work.probing_csv, name="probing_csv"),
    path("organize/work/failed.csv", work.failed_csv, name="failed_csv"),
    path("organize/work/repeat/", work.repeat_many, name="repeat_many"),
    path("organize/export.zip", work.export, name="export"),
    path("organize/submissions/", organize.submissions, name="organize"),
    path("organize/submissions/submissions.csv", organize.submissions_csv, name="submissions_csv"),
    path("organize/submissions/<uuid:pk>/repeat/", organize.repeat, name="repeat"),
    path("organize/submissions/<uuid:pk>/archive/", organize.archive, name="archive"),
    path("organize/phases/<int:phase>/results.csv", organize.results_csv, name="organize_results_csv"),
    path("organize/test-sets/<int:phase>/<int:version>/decoys.csv", decoys.decoys_csv, name="decoys_csv"),
]
