"""Shared parts of the browser tests: a browser, a watch on every page, an audit of accessibility and layout."""

from tests.e2e.helpers.audit import DESKTOP, PHONE, Finding, Watch, watch
from tests.e2e.helpers.browser import launch_options

__all__ = ["DESKTOP", "PHONE", "Finding", "Watch", "launch_options", "watch"]
