"""Addresses below one registration."""

from django.urls import path

from registry.drift import views

app_name = "drift"

urlpatterns = [
    path("drift/", views.drift, name="list"),
    path("drift/<int:pk>/", views.drift_check, name="detail"),
]
