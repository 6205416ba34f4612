"""Source of the settings, storage paths, and addresses of this installation."""

import os
from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

import evaluation
from evaluation.environment import EmptySettingError, setting
from web.secret import kept_secret, private_folder

ROOT = Path(__file__).resolve().parents[3]


class Settings(environ.Env):  # type: ignore[misc]  # the library has no types
    """Variables of the environment and of `.env`; one that is set and empty is refused with its name."""

    def get_value(
        self, var: str, cast: Any = None, default: Any = environ.Env.NOTSET, parse_default: bool = False
    ) -> Any:
        try:
            value = setting(var, self.ENVIRON)
        except EmptySettingError as error:
            raise ImproperlyConfigured(str(error)) from error
        if value is None and default is not self.NOTSET:
            return default
        return super().get_value(var, cast=cast, default=default, parse_default=parse_default)


env = Settings()
environ.Env.read_env(ROOT / ".env")
# Also those that are read only where another setting asks for them, or by nothing.
for _name in sorted(os.environ):
    if _name.startswith("PODIUM_"):
        env.str(_name)

VERSION = evaluation.__version__


# --- Where things are kept --------------------------------------------------------------------------------------------
PODIUM_DATA = Path(env.str("PODIUM_DATA", str(ROOT / "data"))).resolve()
private_folder(PODIUM_DATA)

# --- Mode -------------------------------------------------------------------------------------------------------------
DEBUG = env.bool("DEBUG", False)
# Example mode: example accounts and challenges, and hints on the pages what to try. Never for a public address.
PODIUM_EXAMPLE_MODE = env.bool("PODIUM_EXAMPLE_MODE", False)
# TLS ends in front of the application. Only a loopback address (`manage.py run`) may do without.
PODIUM_TLS = env.bool("PODIUM_TLS", True)

SECRET_KEY = env.str("SECRET_KEY", "") or kept_secret(PODIUM_DATA / "secret.key")
# Earlier keys, newest first: what they signed or encrypted stays readable. Remove them after a few days.
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
# Where people reach this site: what links in e-mails begin with.
PODIUM_ADDRESS = env.str("PODIUM_ADDRESS", f"http://127.0.0.1:{env.int('PORT', 8000)}")
