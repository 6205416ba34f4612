"""Addresses of taking part, of organizing people, and of talking."""

from django.urls import path

from challenges.views import contact, participation, people, talking

patterns = [
    path("<slug:slug>/join/", participation.join, name="join"),
    path("<slug:slug>/invitation/<str:secret>/", participation.invitation, name="invitation"),
    path("<slug:slug>/team/", participation.team, name="team"),
    path("<slug:slug>/team/<slug:act>/", participation.change_team, name="change_team"),
    path("<slug:slug>/news/", talking.news, name="news"),
    path("<slug:slug>/news/announce/", talking.announce, name="announce"),
    path("<slug:slug>/discussion/", talking.discussion, name="discussion"),
    path("<slug:slug>/discussion/follow/", talking.follow_discussion, name="follow_discussion"),
    path("<slug:slug>/discussion/<int:pk>/", talking.thread, name="thread"),
    path("<slug:slug>/discussion/<int:pk>/<slug:act>/", talking.act_on_thread, name="act_on_thread"),
    path("<slug:slug>/contact/", contact.new, name="contact"),
    path("<slug:slug>/contact/<int:pk>/", contact.conversation, name="contact_thread"),
    path("<slug:slug>/contact/<int:pk>/<slug:act>/", contact.close, name="close_contact"),
    path("<slug:slug>/organize/messages/", contact.inbox, name="contacts"),
    path("<slug:slug>/organize/people/", people.overview, name="people"),
    path("<slug:slug>/organize/people/decide/", people.decide, name="decide_people"),
    path("<slug:slug>/organize/people/standing/", people.standing, name="set_standing"),
    path("<slug:slug>/organize/people/baseline/", people.baseline, name="add_baseline"),
    path("<slug:slug>/organize/people/terms/", people.terms, name="set_terms"),
    path("<slug:slug>/organize/people/organizer/", people.organizer, name="set_organizer"),
    path("<slug:slug>/organize/people/participants.csv", people.participants_csv, name="participants_csv"),
    path("<slug:slug>/organize/people/concerns.csv", people.concerns_csv, name="concerns_csv"),
    path("<slug:slug>/organize/concerns/<int:pk>/", people.concern, name="decide_concern"),
]
