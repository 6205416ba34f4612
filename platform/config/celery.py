"""The Celery application: queues by kind of work, late acknowledgement, bounded redelivery."""

import os

from celery import Celery

from config.logs import follow_tasks

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("podium")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
follow_tasks()
