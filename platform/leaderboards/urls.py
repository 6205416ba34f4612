from django.urls import path, register_converter

from leaderboards import views
from web.visitors import costly


class PhaseKey:
    """A phase in an address: its slug, or ``task.phase``."""

    regex = r"[-\w]+(?:\.[-\w]+)?"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(PhaseKey, "phase")

app_name = "leaderboards"

urlpatterns = [
    path("leaderboard/", views.first, name="first"),
    path("leaderboard/<phase:key>/", views.current, name="current"),
    path("leaderboard/<phase:key>/embed/", views.embed, name="embed"),
    path("leaderboard/<phase:key>/badge.svg", costly(views.badge), name="badge"),
    path("leaderboard/<phase:key>/both-ways/", views.ranked_both_ways, name="both_ways"),
    path("leaderboard/<phase:key>/history/", views.history, name="history"),
    path("leaderboard/<phase:key>/history/ranks.json", views.history_figure, name="history_figure"),
    path("leaderboard/<phase:key>/request/", views.request_again, name="request"),
    path("leaderboard/<phase:key>/tasks/", views.tasks, name="tasks"),
    path("leaderboard/<phase:key>/tasks/<slug:name>.json", views.tasks_figure, name="tasks_figure"),
    path("leaderboard/<phase:key>/sites/", views.over_sites_now, name="sites"),
    path("leaderboard/<phase:key>/freeze/", views.freeze, name="freeze"),
    path("leaderboard/<phase:key>/suspects/", views.suspects, name="suspects"),
    path("leaderboard/<phase:key>/suspects/<str:case>/", views.suspect, name="suspect"),
    path("leaderboard/<phase:key>/suspects/<str:case>/viewer.json", views.suspect_plan, name="suspect_plan"),
    path("leaderboard/<phase:key>/suspects/<str:case>/views/<slug:view>/", views.suspect_view, name="suspect_view"),
    path("leaderboard/<phase:key>/v/<int:number>/", views.version, name="version"),
    path("leaderboard/<phase:key>/v/<int:number>/sites/", views.over_sites_of_version, name="version_sites"),
    path("leaderboard/<phase:key>/v/<int:number>/share.png", costly(views.picture), name="share_picture"),
    path("leaderboard/<phase:key>/v/<int:number>/objects/", views.objects_apart, name="objects"),
    path("leaderboard/<phase:key>/v/<int:number>/ranking.json", views.ranking_document, name="document"),
    path("leaderboard/<phase:key>/v/<int:number>/table.csv", costly(views.table_csv), name="table_csv"),
    path("leaderboard/<phase:key>/v/<int:number>/table.json", costly(views.table_json), name="table_json"),
    path("leaderboard/<phase:key>/v/<int:number>/evaluations.json", costly(views.evaluations_json), name="evaluations"),
    path("leaderboard/<phase:key>/v/<int:number>/model-index.json", costly(views.model_index_json), name="model_index"),
    path("leaderboard/<phase:key>/v/<int:number>/hardest-cases.csv", costly(views.hardest_csv), name="hardest_csv"),
    path("leaderboard/<phase:key>/v/<int:number>/results.csv", costly(views.results_csv), name="results_csv"),
    path("leaderboard/<phase:key>/v/<int:number>/bundle.zip", costly(views.bundle), name="bundle"),
    path("leaderboard/<phase:key>/v/<int:number>/figures/<slug:name>.json", views.figure, name="figure"),
]
