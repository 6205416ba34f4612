from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from datastore.uploads.services.proving import prove


class Command(BaseCommand):
    help = "Look for every stored file that the database names, read it, and compare it with its digest."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--sample", type=int, help="read only so many, drawn at random; all are looked for")
        parser.add_argument("--seed", type=int, default=0, help="of the draw")
        parser.add_argument("--orphans", action="store_true", help="list files that no row names")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002 (Django's signature)
        proof = prove(sample=options["sample"], seed=options["seed"])
        for problem in (*proof.missing, *proof.changed):
            self.stderr.write(problem)
        if options["orphans"]:
            for name in proof.orphans:
                self.stdout.write(f"No row names {name}.")
        summary = (
            f"{proof.named} files are named, {proof.read} were read; {len(proof.orphans)} more are named by no row."
        )
        if not proof.holds:
            raise CommandError(
                f"{len(proof.missing)} missing and {len(proof.changed)} changed. {summary} Bring them back from a backup: "
                "docs/operators/backup.md."
            )
        self.stdout.write(f"Everything that is named is there and unchanged. {summary}")
