"""Algorithms that are run: by what, with how much of this machine, and what is kept of them."""

from django.core.exceptions import ImproperlyConfigured

from config.settings.environment import env
from config.settings.services import DATABASE_URL

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
# Images and unpacked weights that stay on this machine to be used again; what was not used for the longest time goes first.
PODIUM_RUN_CACHE_BYTES = env.int("PODIUM_RUN_CACHE_BYTES", 100 * 1024**3)
# Largest image and weights as uploaded, what either may unpack to, all that is kept, and of a team in a phase.
PODIUM_IMAGE_MAX_BYTES = env.int("PODIUM_IMAGE_MAX_BYTES", 10 * 1024**3)
PODIUM_MODEL_MAX_BYTES = env.int("PODIUM_MODEL_MAX_BYTES", 20 * 1024**3)
PODIUM_IMAGE_UNPACKED_BYTES = env.int("PODIUM_IMAGE_UNPACKED_BYTES", 30 * 1024**3)
PODIUM_IMAGE_STORE_BYTES = env.int("PODIUM_IMAGE_STORE_BYTES", 500 * 1024**3)
PODIUM_IMAGE_TEAM_BYTES = env.int("PODIUM_IMAGE_TEAM_BYTES", 50 * 1024**3)
# How long a part of an image is kept that none needs any more.
PODIUM_BLOB_DAYS = env.int("PODIUM_BLOB_DAYS", 7)
