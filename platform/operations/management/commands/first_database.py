from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from operations.services import first_database


class Command(BaseCommand):
    help = (
        "Migrate the embedded database of a new PODIUM_DATA and keep a copy of it in this environment, from which first "
        "starts of manage.py run begin. make install does it; without it the first of them takes some seconds longer."
    )

    def handle(self, **options):  # noqa: ARG002 (Django's signature)
        path = first_database.wanted()
        if path is None:
            raise CommandError("There is a database already; set PODIUM_DATA to an empty folder, and no DATABASE_URL.")
        call_command("migrate", verbosity=0)
        connections.close_all()
        first_database.keep(path)
