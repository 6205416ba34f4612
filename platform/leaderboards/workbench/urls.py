"""Addresses of brought tables; the part that names one cannot be guessed."""

from django.urls import path

from leaderboards.workbench import views
from web.visitors import costly

app_name = "workbench"

urlpatterns = [
    path("", views.tables, name="list"),
    path("<str:key>/", views.table, name="table"),
    path("<str:key>/answers/", views.answer, name="answer"),
    path("<str:key>/sharing/", views.sharing, name="sharing"),
    path("<str:key>/keeping/", views.keeping, name="keeping"),
    path("<str:key>/delete/", views.delete, name="delete"),
    path("<str:key>/board.csv", costly(views.board_csv), name="board_csv"),
    path("<str:key>/figures/<slug:name>/", views.figure, name="figure"),
    path("<str:key>/files/<str:name>", costly(views.file), name="file"),
]
