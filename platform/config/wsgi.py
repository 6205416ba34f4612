"""WSGI entry point: `gunicorn --pythonpath platform,. config.wsgi`."""

import gc
import os

from django.core.wsgi import get_wsgi_application
from django.urls import reverse

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()
# Addresses and the views behind them are loaded here, not by the first visitor. All that is loaded then stays as long as the
# process: the collector need not walk through it again, which took half of a first answer.
reverse("operations:healthz")
gc.collect()
gc.freeze()
