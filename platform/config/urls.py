"""All addresses, one line an app."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path

# The administration has no sign-in of its own, which would know neither second factors nor limits on tries.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

urlpatterns = [
    path("", include("web.urls")),
    path("", include("operations.urls")),
    path("accounts/", include("allauth.urls")),
    path("accounts/", include("accounts.urls")),
    path("notifications/", include("accounts.notifications.urls")),
    path("uploads/", include("datastore.uploads.urls")),
    path("designs/", include("designs.urls")),
    path("calls/", include("reviews.urls")),
    path("registry/", include("registry.urls")),
    path("registry/<slug:identifier>/", include("registry.changes.urls")),
    path("registry/<slug:identifier>/", include("registry.drift.urls")),
    path("", include("challenges.webhooks.urls")),
    path("challenges/", include("challenges.urls")),
    path("challenges/<slug:slug>/", include("datastore.datasets.urls")),
    path("challenges/<slug:slug>/", include("datastore.test_sets.urls")),
    path("challenges/<slug:slug>/", include("executions.urls")),
    path("challenges/<slug:slug>/", include("executions.judging.urls")),
    path("", include("executions.runners.urls")),
    path("challenges/<slug:slug>/", include("federation.urls")),
    path("challenges/<slug:slug>/", include("submissions.urls")),
    path("challenges/<slug:slug>/", include("submissions.measurements.urls")),
    path("challenges/<slug:slug>/", include("submissions.results.urls")),
    path("challenges/<slug:slug>/", include("leaderboards.urls")),
    path("challenges/<slug:slug>/", include("reports.urls")),
    path("analyse/", include("leaderboards.workbench.urls")),
    path("api/v1/", include("api.urls")),
    path("admin/", admin.site.urls),
]

handler400 = "web.errors.bad_request"
handler403 = "web.errors.permission_denied"
handler404 = "web.errors.page_not_found"
handler429 = "web.errors.too_many_requests"
handler500 = "web.errors.server_error"
