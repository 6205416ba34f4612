from django.core.management.base import BaseCommand, CommandError

from challenges.models import Phase
from challenges.services import close_phase


class Command(BaseCommand):
    help = "Close a phase before its time: no further submissions, and a sealed ranking becomes public."

    def add_arguments(self, parser):
        parser.add_argument("challenge", nargs="?", default="", help="short name of the challenge; not needed with one")
        parser.add_argument("phase", nargs="?", default="", help="short name of the phase; else the last open one")

    def handle(self, *, challenge, phase, **options):  # noqa: ARG002 (Django's signature)
        phases = [
            entry
            for entry in Phase.objects.select_related("task__challenge").order_by("task", "position")
            if entry.is_open and challenge in ("", entry.challenge.slug) and phase in ("", entry.slug)
        ]
        if not phases:
            raise CommandError(
                "No open phase fits. Name challenge and phase, for example: close_phase hippocampus final"
            )
        if len({entry.task_id for entry in phases}) > 1:
            names = ", ".join(f"{entry.challenge.slug} {entry.slug}" for entry in phases)
            raise CommandError(f"Several open phases fit; name one of: {names}")
        closed = close_phase(actor=None, phase=phases[-1])
        self.stdout.write(
            f"{closed.challenge.title}: {closed.name} is closed since {closed.ends_at:%Y-%m-%d %H:%M} UTC."
        )
