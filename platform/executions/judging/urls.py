"""Addresses below a challenge; `slug` is the challenge's."""

from django.urls import path

from executions.judging.views import pages, uploads

app_name = "judging"
urlpatterns = [
    path("organize/scorer/", pages.scorers, name="scorers"),
    path("organize/scorer/<int:phase>/uploads/", uploads.create, name="uploads"),
    path("organize/scorer/uploads/<uuid:pk>/", uploads.upload, name="upload"),
    path("organize/scorer/<int:phase>/<uuid:pk>/try/", pages.try_again, name="try_again"),
    path("organize/scorer/<uuid:pk>/delete/", pages.delete, name="delete"),
]
