"""Addresses of the site itself."""

from django.urls import path

from web import discovery, views
from web.visitors import costly

app_name = "web"
urlpatterns = [
    path("", views.home, name="home"),
    # Browsers ask for it beside pages that are not HTML, where no link names the icon.
    path("favicon.ico", views.favicon, name="favicon"),
    path("robots.txt", discovery.robots, name="robots"),
    path("sitemap.xml", costly(discovery.site_map), name="sitemap"),
    path("about/", discovery.about, name="about"),
    path("help/", discovery.help_index, name="help"),
    path("help/images/<str:name>", discovery.help_picture, name="help_picture"),
    path("help/<path:name>/", discovery.help_page, name="help_page"),
    path("client/", views.client, name="client"),
    path("client/version.json", views.client_version, name="client_version"),
    path("client/<str:name>", views.client_file, name="client_wheel"),
    path("privacy/", views.privacy, name="privacy"),
    path("imprint/", views.imprint, name="imprint"),
    path("licences/", views.licences, name="licences"),
    path("design-system/", views.design_system, name="design_system"),
    path("design-system/plot/<slug:name>.json", views.design_system_plot, name="design_system_plot"),
    path("design-system/plot/<slug:name>.csv", views.design_system_csv, name="design_system_csv"),
    path("design-system/live/<int:done>/", views.design_system_live, name="design_system_live"),
    path("design-system/error/<int:status>/", views.design_system_error, name="design_system_error"),
]
