import os
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from operations.domain.database_roles import ROLES, variable
from operations.services.database_roles import RoleError, grant, name_of


class Command(BaseCommand):
    help = (
        "Create the roles of PostgreSQL for web, workers, scoring images and backups, or give them their present rights. "
        "Run it as the owner of the tables, after each migrate. It needs one password per role in the environment."
    )

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002 (Django's signature)
        # Not settings: no other process gets these passwords.
        passwords = {role: os.environ.get(variable(role), "") for role in ROLES}
        if missing := [variable(role) for role, password in passwords.items() if not password]:
            raise CommandError(f"Missing in the environment: {', '.join(missing)}. Set each to a random text.")
        try:
            tables = grant(passwords)
        except RoleError as error:
            raise CommandError(str(error)) from error
        for role, number in tables.items():
            self.stdout.write(f"{name_of(role)}: can use {number} tables.")
