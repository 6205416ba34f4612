"""Settings to collect static files with: `manage.py collectstatic --settings config.static_files`.

The same files as with `config.settings`, without loading the apps, their models and the libraries of these.
"""

from importlib.util import find_spec
from pathlib import Path

from config.settings import *  # noqa: F403
from config.settings import INSTALLED_APPS as _APPS
from config.settings import STATICFILES_DIRS as _DIRS


def _folder(app: str) -> Path | None:
    """The folder of an app's static files."""
    spec = find_spec(app)
    folder = Path(next(iter(spec.submodule_search_locations or []), ""), "static") if spec else None
    return folder if folder and folder.is_dir() else None


STATICFILES_DIRS = [*_DIRS, *filter(None, map(_folder, _APPS))]
INSTALLED_APPS = ["django.contrib.staticfiles"]
