"""Settings from which mypy's Django plugin learns the models: those of the tests, so that it makes no data folder."""

import tests.environment  # noqa: F401 (before the settings are read)
from config.settings import *  # noqa: F403
