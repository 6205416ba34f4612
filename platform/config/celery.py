"""The Celery application: queues by kind of work, late acknowledgement, bounded redelivery."""

import os

from celery import Celery
from django.apps import apps

from config.logs import follow_tasks

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


class _Application(Celery):
    """Application that names a task by the label of its app and not by the module.

    A message that was queued before a module moved is therefore processed after it.
    """

    def gen_task_name(self, name: str, module: str) -> str:
        config = apps.get_containing_app_config(module)
        if config is not None:
            module = config.label + module.removeprefix(config.name)
        return super().gen_task_name(name, module)


app = _Application("podium")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
follow_tasks()
