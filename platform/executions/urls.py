"""Addresses below a challenge; `slug` is the challenge's."""

from django.urls import path

from executions.views import logs, pages, uploads

app_name = "executions"
urlpatterns = [
    path("algorithms/uploads/<int:phase>/", uploads.create, name="uploads"),
    path("algorithms/uploads/<uuid:pk>/", uploads.upload, name="upload"),
    path("algorithms/<uuid:pk>/delete/", pages.delete, name="delete"),
    path("phases/<int:phase>/interface.json", pages.interface, name="interface"),
    path("runs/<uuid:pk>/", pages.execution, name="execution"),
    path("runs/<uuid:pk>/stop/", pages.stop, name="stop"),
    path("runs/<uuid:pk>/predictions.zip", pages.predictions, name="predictions"),
    path("runs/<uuid:pk>/runs.csv", pages.runs_csv, name="runs_csv"),
    path("runs/<uuid:pk>/logs/<int:index>/", logs.log, name="log"),
    path("runs/<uuid:pk>/logs/<int:index>/release/", logs.release, name="release"),
]
