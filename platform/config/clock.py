"""The clock: `celery -A config.clock beat` sends what is due by name, and loads nothing of what the tasks need.

With the usual application it would load every task, and with them the scoring libraries: 200 MB that only wait.
"""

from typing import Any

from celery import Celery
from celery.loaders.app import AppLoader


class _Bare(AppLoader):
    """Loads no modules, and so does not tell Django's part of Celery to set the platform up either."""

    def import_default_modules(self) -> list[Any]:
        return []


app = Celery("podium", loader=_Bare, fixups=[])
app.config_from_object("django.conf:settings", namespace="CELERY")
