"""Services that the platform uses: the database, the broker with its queues, and the cache."""

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
# One queue per class of waiting: a worker that serves `mail` and `sweep`, and one that serves `validate`, take nothing else,
# so neither waits behind a computation. Work of minutes that people wait for goes to `figures`, other work to `quality`.
PODIUM_QUEUES = ("mail", "sweep", "validate", "ingest", "score", "rank", "figures", "quality")
CELERY_TASK_DEFAULT_QUEUE = "ingest"
CELERY_TASK_ROUTES = {
    # Letters.
    "notifications.tasks.sweep": {"queue": "sweep"},
    "notifications.tasks.*": {"queue": "mail"},
    "accounts.tasks.write_*": {"queue": "mail"},
    # It deletes sessions and accounts. The database role of other workers cannot read them.
    "accounts.tasks.sweep": {"queue": "sweep"},
    # Periodic tasks that only look for what is due.
    "work.tasks.*": {"queue": "sweep"},
    "operations.tasks.heartbeat": {"queue": "sweep"},
    "challenges.tasks.sweep": {"queue": "sweep"},
    "leaderboards.tasks.sweep": {"queue": "sweep"},
    "designs.tasks.sweep": {"queue": "sweep"},
    "registry.tasks.sweep": {"queue": "sweep"},
    "reviews.tasks.sweep": {"queue": "sweep"},
    # Submissions.
    "submissions.tasks.validate": {"queue": "validate"},
    "submissions.tasks.make_starter_kit": {"queue": "rank"},
    "submissions.tasks.*": {"queue": "score"},
    "executions.tasks.run_*": {"queue": "run"},
    "executions.tasks.assemble": {"queue": "score"},
    "judging.tasks.judge_*": {"queue": "judge"},
    "runners.tasks.conclude": {"queue": "score"},
    "runners.tasks.sweep": {"queue": "sweep"},
    "webhooks.tasks.sweep": {"queue": "sweep"},
    # Receivers can be slow: no letter, validation or ranking waits for them.
    "webhooks.tasks.send": {"queue": "quality"},
    # Rankings, and what people wait for on a page.
    "leaderboards.tasks.analyse_version": {"queue": "figures"},
    "leaderboards.tasks.search_suspects": {"queue": "quality"},
    "leaderboards.tasks.*": {"queue": "rank"},
    "results.tasks.*": {"queue": "rank"},
    "typesetting.tasks.set_file": {"queue": "rank"},
    "registry.tasks.publish_version": {"queue": "rank"},
    # Computations that may take minutes.
    "designs.tasks.simulate": {"queue": "figures"},
    "designs.tasks.rehearse": {"queue": "figures"},
    "designs.tasks.rehearse_sample": {"queue": "figures"},
    "registry.tasks.verify": {"queue": "figures"},
    "reports.tasks.*": {"queue": "figures"},
    "workbench.tasks.*": {"queue": "figures"},
    "test_sets.tasks.compare_images": {"queue": "quality"},
    "test_sets.tasks.answer_overlap_question": {"queue": "quality"},
    # Everything else reads uploaded files, or can wait: the default queue.
}
# What got lost between a commit and the broker is found again by these.
PODIUM_SWEEP_SECONDS = env.int("PODIUM_SWEEP_SECONDS", 5)
# Whether workers ask the web addresses that organizers write into designs.
PODIUM_CHECK_LINKS = env.bool("PODIUM_CHECK_LINKS", False)
CELERY_BEAT_SCHEDULE_FILENAME = str(PODIUM_DATA / "run" / "beat")
_PERIODS = {
    "work.tasks.sweep": PODIUM_SWEEP_SECONDS,
    "challenges.tasks.sweep": PODIUM_SWEEP_SECONDS,
    "submissions.tasks.sweep": PODIUM_SWEEP_SECONDS,
    "notifications.tasks.sweep": PODIUM_SWEEP_SECONDS,
    "operations.tasks.heartbeat": 10,
    "executions.tasks.sweep": 60,
    "runners.tasks.sweep": 30,
    "webhooks.tasks.sweep": 10,
    "leaderboards.tasks.sweep": 60,
    "designs.tasks.sweep": 60,
    "reviews.tasks.sweep": 300,
    "registry.tasks.sweep": 300,
    "federation.tasks.remove_sums": 3600,
    "typesetting.tasks.forget": 24 * 3600,
    "accounts.tasks.sweep": 24 * 3600,
    "operations.tasks.tidy": 24 * 3600,
    "webhooks.tasks.tidy": 24 * 3600,
    "designs.tasks.check_all_links": 7 * 24 * 3600,
}
# Sends no task of which a message is still queued.
CELERY_BEAT_SCHEDULER = "config.schedule.Schedule"
CELERY_BEAT_SCHEDULE = {
    task: {"task": task, "schedule": seconds, "options": {"expires": 0.9 * seconds}}
    for task, seconds in _PERIODS.items()
}

# --- Cache ------------------------------------------------------------------------------------------------------------
# Rate limits have to be shared between web processes: Redis where there is one, else the single embedded process.
if env.str("REDIS_URL", ""):
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}}
    CACHES["default"]["KEY_PREFIX"] = env.str("PODIUM_BROKER_PREFIX", "")
else:
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
