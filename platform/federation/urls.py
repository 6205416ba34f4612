"""Addresses below a challenge; `slug` is the challenge's."""

from django.urls import path

from federation.views import coordinators, organizers, public

app_name = "federation"

urlpatterns = [
    path("sites/", public.sites, name="sites"),
    path("sites/invitation/<str:code>/", coordinators.invitation, name="invitation"),
    path("sites/invitation/<str:code>/invitation.json", coordinators.invitation_file, name="invitation_file"),
    path("sites/invitation/<str:code>/package.zip", coordinators.package_file, name="package_file"),
    path("sites/invitation/<str:code>/images/<str:name>.tar", coordinators.image_file, name="image_file"),
    path("sites/invitation/<str:code>/receipts.json", coordinators.receipts_file, name="receipts_file"),
    path("organize/sites/", organizers.organize, name="organize"),
    path("organize/sites/open/", organizers.open_sites, name="open"),
    path("organize/sites/<int:federation>/invite/", organizers.invite, name="invite"),
    path("organize/sites/<int:federation>/algorithms/", organizers.name_algorithm, name="algorithm"),
    path("organize/sites/<int:federation>/public-cases/", organizers.keep_public_cases, name="public_cases"),
    path("organize/sites/<int:federation>/package/", organizers.release, name="release"),
    path("organize/sites/<int:federation>/carried/", organizers.carried, name="carried"),
    path("organize/sites/<int:federation>/<str:site>/", organizers.act, name="act"),
]
