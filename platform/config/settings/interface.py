"""The REST interface."""

from config.settings.environment import VERSION
from config.settings.people import PODIUM_TRUSTED_PROXIES

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["api.authentication.WithinScope"],
    "DEFAULT_THROTTLE_CLASSES": ["api.throttling.VisitorRate"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.PageNumberPagination",
    "PAGE_SIZE": 50,
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": [
        "api.parsers.BoundedJSONParser",
        "rest_framework.parsers.FormParser",
        "rest_framework.parsers.MultiPartParser",
    ],
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "EXCEPTION_HANDLER": "api.errors.problem_handler",
    "NUM_PROXIES": PODIUM_TRUSTED_PROXIES,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Podium",
    "DESCRIPTION": "Biomedical image analysis challenges with results you can trust.",
    "VERSION": VERSION,
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "ENUM_NAME_OVERRIDES": {
        "SubmissionState": "submissions.models.Submission.State",
        "ValueState": "api.designs.serializers.STATES",
        "RegistrationState": "registry.models.Registration.State",
        "DesignComputationState": "designs.models.DesignComputation.State",
        "AnalysisState": "leaderboards.workbench.models.BroughtTable.State",
        "MeasurementState": "submissions.measurements.models.Measurement.State",
        "RoleInChallenge": "challenges.models.Organizer.Role",
        "RoleInDesign": "designs.models.Collaborator.Role",
        "WebhookFormat": "challenges.webhooks.models.Webhook.Format",
        "MeasurementKind": "submissions.measurements.models.Measurement.Kind",
    },
}
