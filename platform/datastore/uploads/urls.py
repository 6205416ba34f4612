"""Addresses of files that forms will name."""

from django.urls import path

from datastore.uploads.views import form_files

app_name = "uploads"
urlpatterns = [
    path("", form_files.create, name="form_files"),
    path("<uuid:pk>/", form_files.form_file, name="form_file"),
]
