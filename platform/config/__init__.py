"""Settings, addresses and entry points; names the apps by string only."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
