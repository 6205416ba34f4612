"""Addresses below one registration."""

from django.urls import path

from registry.drift import views

urlpatterns = [
    path("drift/", views.drift, name="drift"),
    path("drift/<int:pk>/", views.drift_check, name="drift_check"),
]
