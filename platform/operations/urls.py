from django.urls import path

from operations import views
from web.visitors import unlimited

app_name = "operations"

urlpatterns = [
    path("healthz", unlimited("asked by monitoring and by containers")(views.healthz), name="healthz"),
    path("metrics", unlimited("answers only the token of the installation")(views.metrics), name="metrics"),
    path("operate/", views.operate, name="operate"),
    path("operate/chairs/", views.chair, name="chair"),
    path("examples/<slug:example>/try-me/<str:file>", views.try_me, name="try_me"),
]
