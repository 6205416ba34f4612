from django.urls import path

from leaderboards import urls as _  # noqa: F401 (registers the converter of phases)
from reports import views
from web.visitors import costly

app_name = "reports"

urlpatterns = [
    path("report/", views.index, name="index"),
    path("report/exposure/", views.exposure, name="exposure"),
    path("report/desk/", views.desk, name="desk"),
    path("report/desk/make/", views.make, name="make"),
    path("report/desk/design/", views.design, name="design"),
    path("report/desk/publish/", views.publish, name="publish"),
    path("report/desk/withdraw/", views.withdraw, name="withdraw"),
    path("report/desk/item/<slug:item>/", views.item, name="item"),
    path("report/team/<phase:key>/", views.team, name="team"),
    path("report/v/<int:number>/", views.report, name="report"),
    path("report/v/<int:number>/progress/", views.progress, name="progress"),
    path("report/v/<int:number>/paper/", views.paper, name="paper"),
    path("report/v/<int:number>/files/<str:name>", views.file, name="file"),
    path("report/v/<int:number>/checklist.csv", costly(views.checklist_csv), name="checklist_csv"),
    path("report/v/<int:number>/<slug:key>/", views.chapter, name="chapter"),
]
