"""The clock: `celery -A config.clock beat` sends what is due by name, and loads nothing of what the tasks need.

With the usual application it would load every task, and with them the scoring libraries: 200 MB that only wait.
"""

from typing import Any

from celery import Celery
from celery.loaders.app import AppLoader


class _Bare(AppLoader):
    """Loader without modules, which therefore does not set up the platform through Celery's Django part."""

    def import_default_modules(self) -> list[Any]:
        return []


app = Celery("podium", loader=_Bare, fixups=[])
app.config_from_object("django.conf:settings", namespace="CELERY")
