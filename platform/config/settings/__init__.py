"""Settings of the platform, all from the environment (or a `.env` file); secure by default.

`docs/operators/settings.md` lists every variable. An unset variable falls back to the embedded default: SQLite, the
broker that `manage.py run` starts, files on disk. Each part states its subject, and no part sets a setting of
another.
"""

from django.core.exceptions import ImproperlyConfigured

from config.logs import logging_config
from config.settings.algorithms import *
from config.settings.applications import *
from config.settings.environment import *
from config.settings.environment import DEBUG, PODIUM_EXAMPLE_MODE, PODIUM_TLS, env
from config.settings.files import *
from config.settings.interface import *
from config.settings.people import *
from config.settings.registry import *
from config.settings.security import *
from config.settings.services import *

LOGGING_CONFIG = None
logging_config(
    json=env.bool("PODIUM_LOG_JSON", not DEBUG and not PODIUM_EXAMPLE_MODE), level=env.str("LOG_LEVEL", "INFO")
)

# Who asks /metrics has to send this as a bearer token; without one there is no such page.
PODIUM_METRICS_TOKEN = env.str("PODIUM_METRICS_TOKEN", "")

if PODIUM_EXAMPLE_MODE and PODIUM_TLS:
    raise ImproperlyConfigured("PODIUM_EXAMPLE_MODE has known passwords and is refused together with PODIUM_TLS.")
