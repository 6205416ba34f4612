"""Addresses below one registration."""

from django.urls import path

from registry.changes import views

urlpatterns = [
    path("changes/", views.changes, name="changes"),
    path("changes.csv", views.changes_csv, name="changes_csv"),
    path("history.csv", views.history_csv, name="history_csv"),
    path("changes/new/", views.new, name="change_new"),
    path("changes/<int:number>/", views.change, name="change"),
    path("changes/<int:number>/withdraw/", views.withdraw, name="change_withdraw"),
    path("changes/<int:number>/object/", views.object_to, name="change_object"),
    path("changes/<int:number>/decide/", views.decide, name="change_decide"),
]
