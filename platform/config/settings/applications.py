"""Applications of the platform."""

from config.settings.environment import ROOT

# --- Applications -----------------------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "web",
    "core.audit",
    "core.work",
    "core.typesetting",
    "accounts",
    "accounts.notifications",
    "accounts.people",
    "accounts.conversations",
    "designs",
    "reviews",
    "registry",
    "registry.changes",
    "registry.drift",
    "challenges",
    "challenges.webhooks",
    "datastore.uploads",
    "datastore.datasets",
    "datastore.test_sets",
    "executions",
    "executions.judging",
    "executions.runners",
    "federation",
    "submissions",
    "submissions.measurements",
    "submissions.results",
    "leaderboards",
    "leaderboards.workbench",
    "reports",
    "api",
    "operations",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.github",
    "allauth.socialaccount.providers.openid_connect",
    "rules",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_filters",
    "django_htmx",
    "csp",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.humanize",
    "django.contrib.staticfiles",
    "django.forms",
]

MIDDLEWARE = [
    "web.middleware.HeadMiddleware",
    "web.middleware.RequestIdMiddleware",
    "web.middleware.NoChildMiddleware",
    "core.audit.units.UnitMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "web.middleware.PrivateCopyMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    # Before the check of forms, which reads them.
    "web.bodies.BodyBoundMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "web.visitors.VisitorLimitMiddleware",
    "accounts.second_factor.StaffSecondFactorMiddleware",
    "accounts.providers.ProviderFormsMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "web.middleware.ReadableRequestMiddleware",
    "web.middleware.ExplainedErrorMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "web.context.site",
            ],
        },
    },
]
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Language and time ------------------------------------------------------------------------------------------------
LANGUAGE_CODE = "en"
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"
