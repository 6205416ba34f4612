"""Addresses below a challenge; `slug` is the challenge's."""

from django.urls import path

from submissions.measurements import views

app_name = "measurements"

urlpatterns = [
    path("organize/values/", views.tables, name="tables"),
    path("organize/values/<int:pk>/", views.table, name="table"),
    path("organize/values/<int:pk>/columns/", views.columns, name="columns"),
    path("organize/values/<int:pk>/seal/", views.seal, name="seal"),
    path("organize/values/<int:pk>/discard/", views.discard, name="discard"),
    path("organize/values/<int:pk>/file.csv", views.file, name="file"),
    path("organize/values/<int:pk>/replicates.csv", views.replicates, name="replicates"),
]
