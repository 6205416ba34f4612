"""Modules that the client shares with the science side: version, durable files and settings of the environment.

In a checkout, and next to `podium-evaluation`, these are the modules of `evaluation`. The small distribution `podium-client`
contains copies of them (`podium_client._bundled`), made when its wheel is built.
"""

try:
    from evaluation import __version__, durable
    from evaluation.environment import EmptySettingError, setting
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "evaluation":
        raise
    from podium_client._bundled import durable  # type: ignore[import-not-found, no-redef]
    from podium_client._bundled.environment import (  # type: ignore[import-not-found, no-redef]
        EmptySettingError,
        setting,
    )
    from podium_client._bundled.version import __version__  # type: ignore[import-not-found, no-redef]

__all__ = ["EmptySettingError", "__version__", "durable", "setting"]
