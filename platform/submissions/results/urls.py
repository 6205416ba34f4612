"""Addresses below a challenge; `slug` is the challenge's."""

from django.urls import path

from submissions.results.views import cases, comparison, monitor, objects, organize, work

app_name = "results"
urlpatterns = [
    path("submissions/history/", comparison.history, name="history"),
    path("submissions/history.csv", comparison.history_csv, name="history_csv"),
    path("submissions/history/<int:number>.json", comparison.history_json, name="history_json"),
    path("submissions/compare/", comparison.two, name="compare"),
    path("submissions/compare.csv", comparison.two_csv, name="compare_csv"),
    path("submissions/<uuid:pk>/objects.csv", objects.objects_csv, name="objects_csv"),
    path("submissions/<uuid:pk>/cases/<str:case>/", cases.own_case, name="case"),
    path("submissions/<uuid:pk>/cases/<str:case>/picture/", cases.picture, name="case_picture"),
    path("submissions/<uuid:pk>/cases/<str:case>/picture.png", cases.picture_png, name="case_picture_png"),
    path("submissions/<uuid:pk>/cases/<str:case>/viewer.json", cases.viewer_plan, name="case_viewer"),
    path("submissions/<uuid:pk>/cases/<str:case>/sheets/<slug:layer>/<slug:axis>/", cases.sheet, name="case_sheet"),
    path("organize/cases/<str:case>/", cases.organized_case, name="organized_case"),
    path("organize/monitor/", monitor.monitor, name="monitor"),
    path("organize/work/", work.work, name="work"),
    path("organize/work/days.json", work.days_json, name="days_json"),
    path("organize/work/days.csv", work.days_csv, name="days_csv"),
    path("organize/work/probing.csv", work.probing_csv, name="probing_csv"),
    path("organize/work/failed.csv", work.failed_csv, name="failed_csv"),
    path("organize/work/repeat/", work.repeat_many, name="repeat_many"),
    path("organize/export.zip", work.export, name="export"),
    path("organize/submissions/", organize.submissions, name="organize"),
    path("organize/submissions/submissions.csv", organize.submissions_csv, name="submissions_csv"),
    path("organize/submissions/<uuid:pk>/repeat/", organize.repeat, name="repeat"),
    path("organize/submissions/<uuid:pk>/archive/", organize.archive, name="archive"),
    path("organize/phases/<int:phase>/results.csv", organize.results_csv, name="organize_results_csv"),
    path("organize/test-sets/<int:phase>/<int:version>/decoys.csv", organize.decoys_csv, name="decoys_csv"),
]
