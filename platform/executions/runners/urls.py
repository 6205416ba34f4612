"""Addresses of runners: those of the installation, and those of a challenge."""

from django.urls import path

from executions.runners.views import pages

app_name = "runners"
urlpatterns = [
    path("runners/", pages.installation, name="installation"),
    path("runners/<uuid:pk>/revoke/", pages.revoke, name="revoke"),
    path("runners/<uuid:pk>/accept/", pages.accept, name="accept"),
    path("challenges/<slug:slug>/organize/runners/", pages.challenge_runners, name="challenge"),
]
