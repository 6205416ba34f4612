"""Fuzz the API as one role or as all: `python -m tests.fuzz.api --role organizer --minutes 10`.

It runs in this process, with a separate test database. The exit status is 1 if a request was answered with a server
error, or if an error of the API was answered with a page.
"""

import argparse
import os
import sys


def main() -> int:
    """Run the command."""
    import tests.environment  # noqa: F401

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ["LOG_LEVEL"] = "CRITICAL"
    import django

    django.setup()
    from django.db import connection

    from tests import databases
    from tests.fuzz import requests, world

    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.api", description=__doc__.splitlines()[0])
    parser.add_argument("--role", choices=world.ROLES, action="append", help="all of them, unless given")
    parser.add_argument("--minutes", type=float, default=10.0, help="for each role")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    databases.install()
    connection.settings_dict["TEST"]["NAME"] = f"{connection.creation._get_test_db_name()}_fuzz"
    name = connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    failed = False
    try:
        made = world.build()
        for role in options.role or world.ROLES:
            found = requests.minutes(made, role, length=options.minutes, seed=options.seed)
            statuses = ", ".join(f"{status}: {number:,}" for status, number in sorted(found.statuses.items()))
            print(
                f"{role}: {found.requests:,} requests, {len(found.errors)} kinds of server error ({statuses})",
                flush=True,
            )
            for key, what in found.errors.items():
                print(f"\n{key}\n{what}\n", file=sys.stderr, flush=True)
            failed = failed or bool(found.errors)
    finally:
        connection.creation.destroy_test_db(name, verbosity=0)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
