from django.core.management.base import BaseCommand, CommandError

from registry.services.deposits import deposit_again, due_deposits, enabled


class Command(BaseCommand):
    help = "Queue every registered version that was never deposited, or whose deposit was given up."

    def handle(self, *args, **options):  # noqa: ARG002 (Django's signature)
        if not enabled():
            raise CommandError("Deposits are off: set PODIUM_DEPOSIT_URL and PODIUM_DEPOSIT_TOKEN.")
        self.stdout.write(f"{deposit_again()} versions queued; {len(due_deposits())} wait for a worker.")
