"""Addresses below a challenge; `slug` is the challenge's."""

from django.urls import path

from submissions.views import methods, starter_kits, submissions, submit, uploads

app_name = "submissions"
urlpatterns = [
    path("submit/", submit.submit, name="submit"),
    path("starter-kit/<int:phase>.zip", starter_kits.download, name="starter_kit"),
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
]
