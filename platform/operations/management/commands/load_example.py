from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from operations.services.example_accounts import printed_accounts
from operations.services.examples import load, submit_algorithms
from submissions.models import Submission


class Command(BaseCommand):
    help = "Load an example challenge and submit its algorithms; what is already there stays. Workers score them."

    def add_arguments(self, parser):
        parser.add_argument("name", help="folder below examples/, for example: hippocampus")
        parser.add_argument("--quiet", action="store_true", help="do not print the example accounts")

    def handle(self, *, name, quiet, **options):  # noqa: ARG002 (Django's signature)
        try:
            challenge = load(name)
        except ValueError as error:
            raise CommandError(str(error)) from error
        submitted = submit_algorithms(name)
        waiting = sum(submission.state != Submission.State.SCORED for submission in submitted)
        self.stdout.write(f"Example “{challenge.title}” is loaded; {waiting} submissions wait for a worker.")
        if settings.PODIUM_EXAMPLE_MODE and not quiet:
            self.stdout.write(printed_accounts())
        elif not settings.PODIUM_EXAMPLE_MODE:
            self.stdout.write("The example accounts cannot sign in, since PODIUM_EXAMPLE_MODE is not set.")
