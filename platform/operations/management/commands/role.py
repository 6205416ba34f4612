from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.queries import account_named
from operations.services.administrators import ADMINISTRATOR, CHAIR, give_role, take_role


class Command(BaseCommand):
    help = "Give an account a role on this platform, or take it away: administrator, or chair (founds and runs calls)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("act", choices=["give", "take"])
        parser.add_argument("role", choices=[ADMINISTRATOR, CHAIR])
        parser.add_argument("account", help="user name or e-mail address")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002 (Django's signature)
        user = account_named(options["account"])
        if user is None:
            raise CommandError(f"There is no account {options['account']!r}. Its owner signs up first.")
        (give_role if options["act"] == "give" else take_role)(user=user, role=options["role"])
        self.stdout.write(
            f"{user.username}: {options['role']} {'given' if options['act'] == 'give' else 'taken away'}."
        )
