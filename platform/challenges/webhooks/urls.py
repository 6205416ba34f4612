"""Addresses of webhooks: those of a challenge, those of a call, and one webhook."""

from django.urls import path

from challenges.webhooks.views import pages

app_name = "webhooks"
urlpatterns = [
    path("challenges/<slug:slug>/organize/webhooks/", pages.challenge_webhooks, name="challenge"),
    path("calls/<slug:slug>/webhooks/", pages.call_webhooks, name="call"),
    path("webhooks/<uuid:pk>/", pages.detail, name="detail"),
    path("webhooks/<uuid:pk>/test/", pages.test, name="test"),
    path("webhooks/<uuid:pk>/secret/", pages.secret, name="secret"),
    path("webhooks/<uuid:pk>/delete/", pages.delete, name="delete"),
    path("webhooks/<uuid:pk>/deliveries/<uuid:delivery>/", pages.send_again, name="send_again"),
]
