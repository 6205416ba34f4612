from django.urls import path

from accounts import views

app_name = "accounts"

urlpatterns = [
    path("profile/", views.profile, name="profile"),
    path("own-data/", views.own_data, name="own_data"),
    path("own-data/file/", views.own_data_file, name="own_data_file"),
    path("own-data/close/", views.close, name="close"),
    path("tokens/", views.tokens, name="tokens"),
    path("tokens/<uuid:pk>/revoke/", views.revoke, name="revoke_token"),
]
