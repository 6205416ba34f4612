from django.core.management.base import BaseCommand, CommandError

from core.work.queries import waiting
from registry.queries.work import DEPOSITS, deposits_are_on
from registry.services.deposits import deposit_again


class Command(BaseCommand):
    help = "Queue every registered version that was never deposited, or whose deposit was given up."

    def handle(self, *args, **options):  # noqa: ARG002 (Django's signature)
        if not deposits_are_on():
            raise CommandError("Deposits are off: set PODIUM_DEPOSIT_URL and PODIUM_DEPOSIT_TOKEN.")
        self.stdout.write(f"{deposit_again()} versions queued; {waiting(DEPOSITS).count()} wait for a worker.")
