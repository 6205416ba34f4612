from django.urls import path, register_converter

from registry.views import acts, downloads, lists, records
from web.visitors import costly

app_name = "registry"


class NumberConverter:
    """The number of a version: 1.0."""

    regex = r"[0-9]{1,5}\.[0-9]{1,5}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(NumberConverter, "number")

urlpatterns = [
    path("", lists.registry_list, name="list"),
    path("export.csv", costly(downloads.export_csv), name="export_csv"),
    path("export.json", costly(downloads.export_json), name="export_json"),
    path("feed.atom", costly(lists.VersionFeed()), name="feed"),
    path("statistics/", lists.statistics, name="statistics"),
    path("statistics/coverage.csv", costly(lists.statistics_csv), name="statistics_csv"),
    path("statistics/statistics.csv", costly(lists.statistics_all_csv), name="statistics_all_csv"),
    path("integrity/", lists.integrity, name="integrity"),
    path("integrity/verify/", lists.verify, name="verify"),
    path("register/<slug:design>/", acts.register, name="register"),
    path("<slug:identifier>/", records.detail, name="detail"),
    path("<slug:identifier>/versions/", records.versions, name="versions"),
    path("<slug:identifier>/compare/", costly(records.compare), name="compare"),
    path("<slug:identifier>/comments/", acts.comments, name="comments"),
    path("<slug:identifier>/comments/<int:pk>/answer/", acts.answer, name="answer"),
    path("<slug:identifier>/comments/<int:pk>/hide/", acts.hide, name="hide"),
    path("<slug:identifier>/end/", acts.end, name="end"),
    path("<slug:identifier>/open/", acts.open_embargo, name="open"),
    path("<slug:identifier>/publish/", acts.end_embargo, name="end_embargo"),
    path("<slug:identifier>/badge.svg", downloads.badge, name="badge"),
    path("<slug:identifier>/v<number:number>/", records.version, name="version"),
    path("<slug:identifier>/v<number:number>.json", downloads.document, name="document"),
    path("<slug:identifier>/v<number:number>.pdf", costly(downloads.pdf), name="pdf"),
    path("<slug:identifier>/v<number:number>/changes.pdf", costly(downloads.changes_pdf), name="changes_pdf"),
    path("<slug:identifier>/v<number:number>/citation.bib", downloads.citation, {"ending": "bib"}, name="bibtex"),
    path("<slug:identifier>/v<number:number>/citation.ris", downloads.citation, {"ending": "ris"}, name="ris"),
    path("<slug:identifier>/v<number:number>/citation.cff", downloads.citation, {"ending": "cff"}, name="cff"),
    path("<slug:identifier>/v<number:number>/datacite.json", downloads.datacite, {"ending": "json"}, name="datacite"),
    path("<slug:identifier>/v<number:number>/datacite.xml", downloads.datacite, {"ending": "xml"}, name="datacite_xml"),
]
