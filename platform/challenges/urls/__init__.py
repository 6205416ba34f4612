from django.urls import path

from challenges import views
from challenges.urls import access, information, people
from challenges.views import catalogue

app_name = "challenges"

urlpatterns = [
    path("", catalogue.challenge_list, name="list"),
    path("challenges.csv", catalogue.challenge_list_csv, name="list_csv"),
    path("launch/<slug:identifier>/", views.launch, name="launch"),
    path("<slug:slug>/", views.detail, name="detail"),
    path("<slug:slug>/assessment/<int:phase>.json", views.assessment, name="assessment"),
    path("<slug:slug>/organize/", views.organize, name="organize"),
    path("<slug:slug>/organize/open/", views.open_submissions, name="open_submissions"),
    path("<slug:slug>/organize/phases/<int:phase>/close/", views.close_phase, name="close_phase"),
    path("<slug:slug>/organize/phases/<int:phase>/deadline/", views.move_deadline, name="move_deadline"),
    *access.patterns,
    *people.patterns,
    *information.patterns,
]
