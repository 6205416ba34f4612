"""Addresses below one registration."""

from django.urls import path

from registry.changes import views
from web.visitors import costly

app_name = "changes"

urlpatterns = [
    path("changes/", views.changes, name="list"),
    path("changes.csv", costly(views.changes_csv), name="csv"),
    path("history.csv", costly(views.history_csv), name="history_csv"),
    path("changes/new/", views.new, name="new"),
    path("changes/<int:number>/", views.change, name="detail"),
    path("changes/<int:number>/withdraw/", views.withdraw, name="withdraw"),
    path("changes/<int:number>/object/", views.object_to, name="object"),
    path("changes/<int:number>/decide/", views.decide, name="decide"),
]
