"""Ask the web process of the same container whether it answers: ``python -m operations.domain.alive``.

It asks for the first name in ALLOWED_HOSTS, since no other is answered, and needs nothing but the standard library.
"""

import sys
import urllib.error
import urllib.request

from evaluation.environment import EmptySettingError, setting


def host_to_ask_for(allowed: str) -> str:
    """Return a host name that is answered.

    Examples
    --------
    >>> host_to_ask_for("podium.example.org,localhost")
    'podium.example.org'
    >>> host_to_ask_for(".example.org")
    'www.example.org'
    >>> host_to_ask_for("*"), host_to_ask_for("")
    ('localhost', 'localhost')
    """
    name = allowed.split(",", maxsplit=1)[0].strip()
    if not name or name == "*":
        return "localhost"
    return f"www{name}" if name.startswith(".") else name


def main() -> int:
    """Return 0 when ``/healthz`` answers 200."""
    try:
        port, allowed = setting("PORT") or "8000", setting("ALLOWED_HOSTS") or ""
    except EmptySettingError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    address = f"http://127.0.0.1:{port}/healthz"
    request = urllib.request.Request(address, headers={"Host": host_to_ask_for(allowed)})
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:  # noqa: S310
            return 0 if answer.status == 200 else 1
    except (urllib.error.URLError, OSError) as error:
        sys.stderr.write(f"{address}: {error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
