"""What browser tests share: a browser, a watch over every page, an audit for accessibility and layout."""

from tests.e2e.helpers.audit import DESKTOP, PHONE, Finding, Watch, watch
from tests.e2e.helpers.browser import launch_options

__all__ = ["DESKTOP", "PHONE", "Finding", "Watch", "launch_options", "watch"]
