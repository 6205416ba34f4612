"""What it speaks to: the database, the broker with its queues, and the cache."""

from config.settings.environment import PODIUM_DATA, env

# --- Database ---------------------------------------------------------------------------------------------------------
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

# --- Broker and queues ------------------------------------------------------------------------------------------------
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

# --- Cache ------------------------------------------------------------------------------------------------------------
# Rate limits have to be shared between web processes: Redis where there is one, else the single embedded process.
if env.str("REDIS_URL", ""):
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}}
    CACHES["default"]["KEY_PREFIX"] = env.str("PODIUM_BROKER_PREFIX", "")
else:
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
