from django.urls import path

from accounts import views

app_name = "accounts"

urlpatterns = [
    path("profile/", views.profile, name="profile"),
    path("tokens/", views.tokens, name="tokens"),
    path("tokens/<uuid:pk>/revoke/", views.revoke, name="revoke_token"),
]
