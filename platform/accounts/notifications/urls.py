from django.urls import path

from accounts.notifications import views

app_name = "notifications"

urlpatterns = [
    path("", views.inbox, name="inbox"),
    path("read/", views.read_all, name="read_all"),
    path("mails/", views.sent_mails, name="sent_mails"),
    path("preferences/", views.preferences, name="preferences"),
    path("unsubscribe/<str:token>/", views.unsubscribe, name="unsubscribe"),
    path("<uuid:pk>/", views.follow, name="follow"),
]
