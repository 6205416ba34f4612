from django.core.management.base import BaseCommand, CommandError

from registry.services.verifying import verify


class Command(BaseCommand):
    help = "Recompute the chain of the audit log and every stored digest; name what does not hold."

    def handle(self, *args, **options):  # noqa: ARG002 (Django's signature)
        verification = verify()
        for kind, number in verification.counts.items():
            self.stdout.write(f"{number} {kind}")
        if not verification.holds:
            for problem in verification.problems:
                self.stderr.write(problem)
            raise CommandError(f"{len(verification.problems)} things do not hold.")
        self.stdout.write(
            f"Everything holds. Head of the chain: {verification.head_sequence} {verification.head_digest}"
        )
