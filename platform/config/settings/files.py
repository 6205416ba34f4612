"""Storage of files, and limits on the size of uploads."""

from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from config.settings.environment import DEBUG, PODIUM_DATA, ROOT, env

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
        "BACKEND": "web.storing.DurableStorage",
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
        else "web.static_storage.JoiningStorage"
    },
}
# Scratch space of this machine: uploads under way, copies of stored files that workers read.
PODIUM_SCRATCH = Path(env.str("PODIUM_SCRATCH", str(PODIUM_DATA / "scratch"))).resolve()
# References are encrypted at rest with this age identity; without one it is made once and kept in the data folder.
PODIUM_REFERENCE_KEY = env.str("PODIUM_REFERENCE_KEY", "")
# The largest upload, and the pieces in which it comes; a form post never needs more than its fields.
PODIUM_UPLOAD_MAX_BYTES = env.int("PODIUM_UPLOAD_MAX_BYTES", 20 * 1024**3)
PODIUM_UPLOAD_CHUNK_BYTES = env.int("PODIUM_UPLOAD_CHUNK_BYTES", 8 * 1024**2)
# What a team and a case may take; see datastore/uploads/storage.py for what each means.
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
# The same of a runner, whose network may be slow.
PODIUM_RUNNER_LEASE_SECONDS = env.int("PODIUM_RUNNER_LEASE_SECONDS", 60)
# Most bytes of a body, files included, from somebody who is not signed in, and from somebody who is, where no files are
# asked for; see web/bodies.py. What Django itself bounds is what it keeps in memory, files left out.
PODIUM_ANONYMOUS_BODY_BYTES = env.int("PODIUM_ANONYMOUS_BODY_BYTES", 64 * 1024)
PODIUM_FORM_BODY_BYTES = env.int("PODIUM_FORM_BODY_BYTES", 2 * 1024**2)
# Requests per minute of the visitors of one network without an account, and those that compute a file; 0 is no limit.
PODIUM_VISITOR_PAGES_PER_MINUTE = env.int("PODIUM_VISITOR_PAGES_PER_MINUTE", 600)
PODIUM_VISITOR_FILES_PER_MINUTE = env.int("PODIUM_VISITOR_FILES_PER_MINUTE", 60)
DATA_UPLOAD_MAX_MEMORY_SIZE = PODIUM_FORM_BODY_BYTES
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024**2
# Beside the other uploads under way, and never in /tmp, which may be memory.
FILE_UPLOAD_TEMP_DIR = PODIUM_SCRATCH / "forms"
FILE_UPLOAD_TEMP_DIR.mkdir(parents=True, exist_ok=True, mode=0o700)
