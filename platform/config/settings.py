"""Settings of the platform, all from the environment (or a `.env` file); secure unless told otherwise.

`docs/operators/settings.md` lists every variable. What is not set falls back to the embedded default: SQLite, the
broker that `manage.py run` starts, files on disk.
"""

from pathlib import Path

import environ
from django.core.exceptions import ImproperlyConfigured

import evaluation
from config.logs import logging_config
from web.secret import kept_secret, private_folder

ROOT = Path(__file__).resolve().parent.parent.parent
env = environ.Env()
environ.Env.read_env(ROOT / ".env")

VERSION = evaluation.__version__

# --- Where things are kept ----------------------------------------------------------------------------------------
PODIUM_DATA = Path(env.str("PODIUM_DATA", str(ROOT / "data"))).resolve()
private_folder(PODIUM_DATA)

# --- Mode ---------------------------------------------------------------------------------------------------------
DEBUG = env.bool("DEBUG", False)
# Example mode: example accounts and challenges, and hints on the pages what to try. Never for a public address.
PODIUM_EXAMPLE_MODE = env.bool("PODIUM_EXAMPLE_MODE", False)
# TLS ends in front of the application. Only a loopback address (`manage.py run`) may do without.
PODIUM_TLS = env.bool("PODIUM_TLS", True)

SECRET_KEY = env.str("SECRET_KEY", "") or kept_secret(PODIUM_DATA / "secret.key")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
# Where people reach this site: what links in e-mails begin with.
PODIUM_ADDRESS = env.str("PODIUM_ADDRESS", f"http://127.0.0.1:{env.int('PORT', 8000)}")

# --- Applications -------------------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "web",
    "audit",
    "work",
    "typesetting",
    "accounts",
    "notifications",
    "people",
    "conversations",
    "designs",
    "reviews",
    "registry",
    "changes",
    "drift",
    "challenges",
    "uploads",
    "datasets",
    "test_sets",
    "scoring",
    "executions",
    "judging",
    "federation",
    "submissions",
    "measurements",
    "results",
    "leaderboards",
    "workbench",
    "reports",
    "api",
    "operations",
    "allauth",
    "allauth.account",
    "allauth.mfa",
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
    "accounts.second_factor.StaffSecondFactorMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "web.middleware.ReadableRequestMiddleware",
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

# --- Database -----------------------------------------------------------------------------------------------------
DATABASE_URL = env.str("DATABASE_URL", "")
if DATABASE_URL:
    DATABASES = {"default": env.db_url_config(DATABASE_URL)}
    DATABASES["default"].setdefault("CONN_MAX_AGE", env.int("CONN_MAX_AGE", 60))
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
else:
    DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": PODIUM_DATA / "podium.sqlite3"}}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # Without IMMEDIATE, two workers that read and then write end in "database is locked" whatever the time-out.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;",
    }
    # Tests use a file as well: a database in shared memory locks in another way than the one that is deployed.
    DATABASES["default"]["TEST"] = {"NAME": str(PODIUM_DATA / "test.sqlite3")}

# --- Broker and queues --------------------------------------------------------------------------------------------
# `manage.py run` leaves the address of the broker that it started in this file.
PODIUM_BROKER_FILE = PODIUM_DATA / "run" / "broker.url"


def _broker_url() -> str:
    if url := env.str("REDIS_URL", ""):
        return url
    if PODIUM_BROKER_FILE.exists():
        return PODIUM_BROKER_FILE.read_text().strip()
    return "redis://127.0.0.1:6379/0"


REDIS_URL = _broker_url()
# A task may take this long at most; the broker hands it out again only later than that.
PODIUM_TASK_SECONDS = env.int("PODIUM_TASK_SECONDS", 600)
CELERY_BROKER_URL = REDIS_URL
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": PODIUM_TASK_SECONDS + 60,
    "unacked_restore_interval": 2,
    "unacked_restore_throttle": 1,
    "socket_keepalive": True,
    "global_keyprefix": env.str("PODIUM_BROKER_PREFIX", ""),
}
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_TIME_LIMIT = PODIUM_TASK_SECONDS
CELERY_TASK_SOFT_TIME_LIMIT = PODIUM_TASK_SECONDS - 30
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TIMEZONE = "UTC"
PODIUM_QUEUES = ("ingest", "score", "rank", "mail")
CELERY_TASK_DEFAULT_QUEUE = "ingest"
CELERY_TASK_ROUTES = {
    "accounts.tasks.*": {"queue": "mail"},
    "challenges.tasks.*": {"queue": "ingest"},
    "datasets.tasks.*": {"queue": "ingest"},
    "test_sets.tasks.*": {"queue": "ingest"},
    "executions.tasks.run_*": {"queue": "run"},
    "executions.tasks.*": {"queue": "ingest"},
    "judging.tasks.judge_*": {"queue": "judge"},
    "judging.tasks.*": {"queue": "ingest"},
    "federation.tasks.*": {"queue": "ingest"},
    "work.tasks.*": {"queue": "ingest"},
    "submissions.tasks.score_*": {"queue": "score"},
    "submissions.tasks.*": {"queue": "ingest"},
    "measurements.tasks.*": {"queue": "ingest"},
    "results.tasks.*": {"queue": "ingest"},
    "notifications.tasks.*": {"queue": "mail"},
    "reviews.tasks.*": {"queue": "ingest"},
    "registry.tasks.*": {"queue": "ingest"},
    "leaderboards.tasks.*": {"queue": "rank"},
    "typesetting.tasks.*": {"queue": "rank"},
    "workbench.tasks.*": {"queue": "rank"},
    "reports.tasks.*": {"queue": "rank"},
    "operations.tasks.*": {"queue": "ingest"},
}
# What got lost between a commit and the broker is found again by these.
PODIUM_SWEEP_SECONDS = env.int("PODIUM_SWEEP_SECONDS", 5)
# Whether workers ask the web addresses that organizers write into designs.
PODIUM_CHECK_LINKS = env.bool("PODIUM_CHECK_LINKS", False)
CELERY_BEAT_SCHEDULE_FILENAME = str(PODIUM_DATA / "run" / "beat")
CELERY_BEAT_SCHEDULE = {
    "work-sweep": {"task": "work.tasks.sweep", "schedule": PODIUM_SWEEP_SECONDS},
    "challenges-sweep": {"task": "challenges.tasks.sweep", "schedule": PODIUM_SWEEP_SECONDS},
    "executions-sweep": {"task": "executions.tasks.sweep", "schedule": 60},
    "submissions-sweep": {"task": "submissions.tasks.sweep", "schedule": PODIUM_SWEEP_SECONDS},
    "federation-removals": {"task": "federation.tasks.remove_sums", "schedule": 3600},
    "notifications-sweep": {"task": "notifications.tasks.sweep", "schedule": PODIUM_SWEEP_SECONDS},
    "leaderboards-sweep": {"task": "leaderboards.tasks.sweep", "schedule": 60},
    "reviews-sweep": {"task": "reviews.tasks.sweep", "schedule": 300},
    "designs-sweep": {"task": "designs.tasks.sweep", "schedule": 60},
    "designs-links": {"task": "designs.tasks.check_all_links", "schedule": 7 * 24 * 3600},
    "registry-sweep": {"task": "registry.tasks.sweep", "schedule": 300},
    "typesetting-forget": {"task": "typesetting.tasks.forget", "schedule": 24 * 3600},
    "accounts-forget": {"task": "accounts.tasks.forget", "schedule": 24 * 3600},
    "worker-heartbeat": {"task": "operations.tasks.heartbeat", "schedule": 10},
}

# --- Registry -----------------------------------------------------------------------------------------------------
# The first part of every identifier; never change it once something is registered.
PODIUM_REGISTRY_PREFIX = env.str("PODIUM_REGISTRY_PREFIX", "podium")
# Who publishes, in citations; and the licence under which registered designs are published (an SPDX identifier).
PODIUM_PUBLISHER = env.str("PODIUM_PUBLISHER", "Podium")
PODIUM_REGISTRY_LICENSE = env.str("PODIUM_REGISTRY_LICENSE", "CC-BY-4.0")
# Deposit of registered versions in a repository with the interface of Zenodo, which mints a DOI; off without both.
PODIUM_DEPOSIT_URL = env.str("PODIUM_DEPOSIT_URL", "")
PODIUM_DEPOSIT_TOKEN = env.str("PODIUM_DEPOSIT_TOKEN", "")
# How long those who take part can object to a critical change before it can be approved.
PODIUM_OBJECTION_DAYS = env.int("PODIUM_OBJECTION_DAYS", 7)
# Whether the drift check may fetch web pages (of public hosts only); without it organizers paste or upload texts.
PODIUM_DRIFT_FETCH = env.bool("PODIUM_DRIFT_FETCH", False)

# --- Tables that people bring --------------------------------------------------------------------------------------
# How many analyses a person may have, how many within a day, and for how long those are kept that nobody keeps on purpose.
PODIUM_ANALYSES_MOST = env.int("PODIUM_ANALYSES_MOST", 50)
PODIUM_ANALYSES_PER_DAY = env.int("PODIUM_ANALYSES_PER_DAY", 20)
PODIUM_ANALYSES_DAYS = env.int("PODIUM_ANALYSES_DAYS", 30)

# --- Cache --------------------------------------------------------------------------------------------------------
# Rate limits have to be shared between web processes: Redis where there is one, else the single embedded process.
if env.str("REDIS_URL", ""):
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}}
    CACHES["default"]["KEY_PREFIX"] = env.str("PODIUM_BROKER_PREFIX", "")
else:
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}

# --- Files --------------------------------------------------------------------------------------------------------
STATIC_URL = "/static/"
STATIC_ROOT = PODIUM_DATA / "static"
STATICFILES_DIRS = [ROOT / "static"]
# References, uploads and results. Never below a folder that a web server serves; there is no MEDIA_URL.
PODIUM_S3_BUCKET = env.str("PODIUM_S3_BUCKET", "")
if PODIUM_S3_BUCKET:
    _private = {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": {
            "bucket_name": PODIUM_S3_BUCKET,
            "endpoint_url": env.str("PODIUM_S3_ENDPOINT", None),
            "access_key": env.str("PODIUM_S3_ACCESS_KEY", None),
            "secret_key": env.str("PODIUM_S3_SECRET_KEY", None),
            "region_name": env.str("PODIUM_S3_REGION", None),
            "default_acl": "private",
            "querystring_auth": True,
            "file_overwrite": True,
        },
    }
else:
    _private = {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {
            "location": PODIUM_DATA / "storage",
            "base_url": None,
            "file_permissions_mode": 0o600,
            "directory_permissions_mode": 0o700,
            "allow_overwrite": True,
        },
    }
# Whether browsers and programs send the parts of uploads straight to that storage, and where they reach it, if not there.
PODIUM_S3_DIRECT = env.bool("PODIUM_S3_DIRECT", False)
PODIUM_S3_PUBLIC_ENDPOINT = env.str("PODIUM_S3_PUBLIC_ENDPOINT", "")
# The object store of backups, where it is another one (`manage.py backup s3://bucket/prefix`).
PODIUM_BACKUP_S3 = {
    "endpoint_url": env.str("PODIUM_BACKUP_S3_ENDPOINT", "") or env.str("PODIUM_S3_ENDPOINT", None),
    "access_key": env.str("PODIUM_BACKUP_S3_ACCESS_KEY", "") or env.str("PODIUM_S3_ACCESS_KEY", None),
    "secret_key": env.str("PODIUM_BACKUP_S3_SECRET_KEY", "") or env.str("PODIUM_S3_SECRET_KEY", None),
    "region_name": env.str("PODIUM_S3_REGION", None),
}
# Whoever made the last backup, and when, is in the database; older than this, `doctor` and /healthz say so. 0: nobody asks.
PODIUM_BACKUP_DAYS = env.int("PODIUM_BACKUP_DAYS", 0)
STORAGES = {
    "default": _private,
    "private": _private,
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
# Scratch space of this machine: uploads under way, copies of stored files that workers read.
PODIUM_SCRATCH = Path(env.str("PODIUM_SCRATCH", str(PODIUM_DATA / "scratch"))).resolve()
# Uploads come in pieces of at most this size; a form post never needs more than its fields.
# References are encrypted at rest with this age identity; without one it is made once and kept in the data folder.
PODIUM_REFERENCE_KEY = env.str("PODIUM_REFERENCE_KEY", "")
PODIUM_UPLOAD_MAX_BYTES = env.int("PODIUM_UPLOAD_MAX_BYTES", 20 * 1024**3)
PODIUM_UPLOAD_CHUNK_BYTES = env.int("PODIUM_UPLOAD_CHUNK_BYTES", 8 * 1024**2)
# What a team and a case may take; see uploads/limits.py for what each means.
PODIUM_UPLOADS_UNDER_WAY = env.int("PODIUM_UPLOADS_UNDER_WAY", 3)
PODIUM_UPLOAD_ANNOUNCED_BYTES = env.int("PODIUM_UPLOAD_ANNOUNCED_BYTES", 2 * PODIUM_UPLOAD_MAX_BYTES)
PODIUM_UPLOAD_HOURS = env.int("PODIUM_UPLOAD_HOURS", 48)
PODIUM_UPLOAD_GRACE_MINUTES = env.int("PODIUM_UPLOAD_GRACE_MINUTES", 60)
# Files that organizers host for participants: the largest one, all of a challenge, how long an address of one is good for.
PODIUM_DATA_FILE_BYTES = env.int("PODIUM_DATA_FILE_BYTES", 100 * 1024**3)
PODIUM_DATA_CHALLENGE_BYTES = env.int("PODIUM_DATA_CHALLENGE_BYTES", 500 * 1024**3)
PODIUM_DATA_ADDRESS_SECONDS = env.int("PODIUM_DATA_ADDRESS_SECONDS", 900)
PODIUM_DISK_RESERVE_BYTES = env.int("PODIUM_DISK_RESERVE_BYTES", 1024**3)
PODIUM_WORK_RESERVE_BYTES = env.int("PODIUM_WORK_RESERVE_BYTES", 256 * 1024**2)
PODIUM_UNSUCCESSFUL_PER_DAY = env.int("PODIUM_UNSUCCESSFUL_PER_DAY", 50)
PODIUM_CASE_MEMORY_BYTES = env.int("PODIUM_CASE_MEMORY_BYTES", 4 * 1024**3)
PODIUM_CASE_FILE_BYTES = env.int("PODIUM_CASE_FILE_BYTES", 4 * 1024**3)
PODIUM_CASE_FOLDER_BYTES = env.int("PODIUM_CASE_FOLDER_BYTES", 2 * PODIUM_CASE_FILE_BYTES)
PODIUM_CASE_SECONDS = env.float("PODIUM_CASE_SECONDS", 120.0)
# Whether workers refuse to work where children that read participants' files cannot be confined in full.
PODIUM_CONFINEMENT = env.str("PODIUM_CONFINEMENT", "try")
if PODIUM_CONFINEMENT not in ("try", "require"):
    raise ImproperlyConfigured(f"PODIUM_CONFINEMENT is {PODIUM_CONFINEMENT!r}; it has to be try or require.")
# A worker that is silent for longer has lost its work to another.
PODIUM_LEASE_SECONDS = env.int("PODIUM_LEASE_SECONDS", 12)
# Most bytes of a body, files included, from somebody who is not signed in, and from somebody who is, where no files are
# asked for; see web/bodies.py. What Django itself bounds is what it keeps in memory, files left out.
PODIUM_ANONYMOUS_BODY_BYTES = env.int("PODIUM_ANONYMOUS_BODY_BYTES", 64 * 1024)
PODIUM_FORM_BODY_BYTES = env.int("PODIUM_FORM_BODY_BYTES", 2 * 1024**2)
DATA_UPLOAD_MAX_MEMORY_SIZE = PODIUM_FORM_BODY_BYTES
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024**2
# Beside the other uploads under way, and never in /tmp, which may be memory.
FILE_UPLOAD_TEMP_DIR = PODIUM_SCRATCH / "forms"
FILE_UPLOAD_TEMP_DIR.mkdir(parents=True, exist_ok=True, mode=0o700)

# --- Algorithms that are run --------------------------------------------------------------------------------------
# The container engine: podman, docker or none. Without a choice, podman where it is installed; what it can do is tried.
PODIUM_RUN_ENGINE = env.str("PODIUM_RUN_ENGINE", "")
if PODIUM_RUN_ENGINE not in ("", "podman", "docker", "none"):
    raise ImproperlyConfigured(f"PODIUM_RUN_ENGINE is {PODIUM_RUN_ENGINE!r}; it has to be podman, docker or none.")
PODIUM_RUN_RUNTIME = env.str("PODIUM_RUN_RUNTIME", "")
# Whether one machine may hold the key of the references and run algorithms: the embedded shape is one machine.
PODIUM_RUN_TOGETHER = env.bool("PODIUM_RUN_TOGETHER", not DATABASE_URL)
# Where the engine keeps images, and containers get what they see; outside the data folder, which is private.
PODIUM_RUN_FOLDER = env.str("PODIUM_RUN_FOLDER", "")
# What this machine offers: cores (0: all), MiB of memory (0: three quarters), ids of GPUs.
PODIUM_RUN_CPUS = env.float("PODIUM_RUN_CPUS", 0.0)
PODIUM_RUN_MEMORY_MIB = env.int("PODIUM_RUN_MEMORY_MIB", 0)
PODIUM_RUN_GPUS = env.list("PODIUM_RUN_GPUS", default=[])
# Largest image and weights as uploaded, what either may unpack to, all that is kept, and of a team in a phase.
PODIUM_IMAGE_MAX_BYTES = env.int("PODIUM_IMAGE_MAX_BYTES", 10 * 1024**3)
PODIUM_MODEL_MAX_BYTES = env.int("PODIUM_MODEL_MAX_BYTES", 20 * 1024**3)
PODIUM_IMAGE_UNPACKED_BYTES = env.int("PODIUM_IMAGE_UNPACKED_BYTES", 30 * 1024**3)
PODIUM_IMAGE_STORE_BYTES = env.int("PODIUM_IMAGE_STORE_BYTES", 500 * 1024**3)
PODIUM_IMAGE_TEAM_BYTES = env.int("PODIUM_IMAGE_TEAM_BYTES", 50 * 1024**3)
# How long a part of an image is kept that none needs any more.
PODIUM_BLOB_DAYS = env.int("PODIUM_BLOB_DAYS", 7)

# --- People -------------------------------------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "rules.permissions.ObjectPermissionBackend",
    "accounts.backends.OneCheckBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = env.str("ACCOUNT_EMAIL_VERIFICATION", "mandatory")
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if PODIUM_TLS else "http"
ACCOUNT_USER_MODEL_USERNAME_FIELD = "username"
ACCOUNT_ADAPTER = "accounts.adapter.AccountAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
ACCOUNT_FORMS = {"signup": "accounts.forms.SignupForm", "reset_password": "accounts.forms.ResetPasswordForm"}
# Of every change to an account its owner hears by e-mail, and can act if it was somebody else's.
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_RATE_LIMITS = {
    # From one address, and at one account whichever of its names is typed; for devices that the account knows, by device.
    # The day's count can be used up by strangers: a reset of the password by mail empties it.
    "login_failed": "10/m/ip,5/5m/key,100/d/key",
    "login_failed_on_device": "10/5m/key,100/d/key",
    "reset_password": "20/m/ip,5/h/key",
    # Of one kind to one address: sign-up and lost passwords must not fill strangers' mailboxes.
    "letter": "5/h/key",
}
ACCOUNT_MAX_EMAIL_ADDRESSES = 5
PASSWORD_RESET_TIMEOUT = 24 * 3600
# How many proxies of our own stand before the web process: so many entries of X-Forwarded-For are ours, from its end.
ALLAUTH_TRUSTED_PROXY_COUNT = env.int("PODIUM_TRUSTED_PROXIES", 0)
if ALLAUTH_TRUSTED_PROXY_COUNT < 0:
    raise ImproperlyConfigured("PODIUM_TRUSTED_PROXIES is the number of proxies before the web process: 0, 1, 2, …")
# Whether staff need a second factor; a database server is what tells the several-machine shape from the embedded one.
PODIUM_STAFF_SECOND_FACTOR = env.bool("PODIUM_STAFF_SECOND_FACTOR", bool(DATABASE_URL) and PODIUM_TLS)
# Invitations by e-mail that one person may send in a day, and that one address gets; withdrawn ones count.
PODIUM_INVITATIONS_PER_DAY = env.int("PODIUM_INVITATIONS_PER_DAY", 100)
PODIUM_INVITATIONS_TO_ADDRESS_PER_DAY = env.int("PODIUM_INVITATIONS_TO_ADDRESS_PER_DAY", 5)
# How long what has served its purpose is kept: sent mails, read messages, ended invitations.
PODIUM_RETENTION_DAYS = env.int("PODIUM_RETENTION_DAYS", 180)
# Who runs this installation and how to reach them: the imprint, and what operators add to the page on privacy.
PODIUM_IMPRINT = env.str("PODIUM_IMPRINT", "")
PODIUM_PRIVACY_CONTACT = env.str("PODIUM_PRIVACY_CONTACT", "")
PODIUM_PRIVACY_NOTE = env.str("PODIUM_PRIVACY_NOTE", "")
PODIUM_SIGNUP_OPEN = env.bool("PODIUM_SIGNUP_OPEN", True)
# The account that administers the platform; made at the first start of the several-machine shape (`first_administrator`).
PODIUM_ADMIN_EMAIL = env.str("PODIUM_ADMIN_EMAIL", "")
PODIUM_ADMIN_NAME = env.str("PODIUM_ADMIN_NAME", "administrator")

if email_url := env.str("EMAIL_URL", ""):
    vars().update(env.email_url_config(email_url))
else:
    EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
# A mail server that does not answer must not hold a worker.
EMAIL_TIMEOUT = env.int("EMAIL_TIMEOUT", 30)
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", "Podium <noreply@localhost>")

# --- Security -----------------------------------------------------------------------------------------------------
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "web.errors.csrf_failure"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
if PODIUM_TLS:
    SECURE_SSL_REDIRECT = True
    # The health check of a container speaks plain HTTP to the process itself.
    SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True
    SECURE_HSTS_SECONDS = env.int("SECURE_HSTS_SECONDS", 31_536_000)
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "img-src": ["'self'", "data:", "blob:"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    },
}

# --- Language and time --------------------------------------------------------------------------------------------
LANGUAGE_CODE = "en"
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# --- API ----------------------------------------------------------------------------------------------------------
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["api.authentication.WithinScope"],
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
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Podium",
    "DESCRIPTION": "Biomedical image analysis challenges whose result can be believed.",
    "VERSION": VERSION,
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "ENUM_NAME_OVERRIDES": {
        "SubmissionState": "submissions.models.Submission.State",
        "ValueState": "api.designs.serializers.STATES",
        "RegistrationState": "registry.models.Registration.State",
        "AnalysisState": "workbench.models.BroughtTable.State",
        "MeasurementState": "measurements.models.Measurement.State",
        "MeasurementKind": "measurements.models.Measurement.Kind",
    },
}

# --- Logs ---------------------------------------------------------------------------------------------------------
LOGGING_CONFIG = None
logging_config(
    json=env.bool("PODIUM_LOG_JSON", not DEBUG and not PODIUM_EXAMPLE_MODE), level=env.str("LOG_LEVEL", "INFO")
)

# Who asks /metrics has to send this as a bearer token; without one there is no such page.
PODIUM_METRICS_TOKEN = env.str("PODIUM_METRICS_TOKEN", "")

if PODIUM_EXAMPLE_MODE and PODIUM_TLS:
    raise ImproperlyConfigured("PODIUM_EXAMPLE_MODE has known passwords and is refused together with PODIUM_TLS.")
