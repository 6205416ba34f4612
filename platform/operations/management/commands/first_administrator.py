from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import User
from operations.services.administrators import make_first_administrator, password_address


class Command(BaseCommand):
    help = (
        "Make the account named by PODIUM_ADMIN_EMAIL and PODIUM_ADMIN_NAME, unless somebody administers the platform "
        "already. It has no password: its owner asks for one by mail, or opens what --link prints."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--link", action="store_true", help="print the address at which the password is chosen")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002 (Django's signature)
        email, name = settings.PODIUM_ADMIN_EMAIL, settings.PODIUM_ADMIN_NAME
        if not email:
            if options["link"]:
                raise CommandError("Set PODIUM_ADMIN_EMAIL to the e-mail address of the administrator.")
            self.stdout.write("PODIUM_ADMIN_EMAIL is not set: no administrator is made.")
            return
        user = make_first_administrator(email=email, username=name)
        if user is None:
            self.stdout.write("Somebody administers the platform already.")
            user = User.objects.filter(email__iexact=email, is_superuser=True).first()
        else:
            self.stdout.write(
                f"{name} ({email}) administers the platform. To choose a password: {settings.PODIUM_ADDRESS}/accounts/password/reset/"
            )
        if options["link"] and user is not None:
            # Asked for by somebody at the terminal of the installation; never part of a start, whose output is kept.
            self.stdout.write(f"Good for a day, once: {password_address(user)}")
