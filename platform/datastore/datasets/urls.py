"""Addresses below a challenge; `slug` is the challenge's."""

from django.urls import path

from datastore.datasets.views import downloads, metadata, pages, uploads
from web.visitors import costly, unlimited

app_name = "datasets"
urlpatterns = [
    path("data/", pages.data, name="data"),
    path("data/checksums.txt", costly(pages.checksums), name="checksums"),
    path("data/files/<int:file>/", downloads.get_file, name="get_file"),
    path(
        "data/download/<str:token>/",
        unlimited("redeems an address made for one file")(downloads.download),
        name="download",
    ),
    path("data/publish/", pages.publish, name="publish"),
    path("data/consent/<slug:team>/", pages.consent, name="consent"),
    path("data/offer/", pages.offer, name="offer"),
    path("data/downloads.csv", pages.downloads_csv, name="downloads_csv"),
    path("data/<slug:dataset>/begin/", pages.begin_version, name="begin_version"),
    path("data/<slug:dataset>/<int:number>/release/", pages.release, name="release"),
    path("data/<slug:dataset>/<int:number>/withdraw/", pages.withdraw, name="withdraw"),
    path("data/<slug:dataset>/<int:version>/uploads/", uploads.create, name="uploads"),
    path("data/<slug:dataset>/<slug:form>.json", costly(metadata.description), name="description"),
    path("data/uploads/<uuid:pk>/", uploads.upload, name="upload"),
    path("data/files/<int:file>/remove/", pages.remove, name="remove"),
]
