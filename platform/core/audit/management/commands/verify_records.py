from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.audit import hooks
from core.audit.services import broken_links
from core.audit.services.adopting import adopt
from core.audit.services.proving import prove


class Command(BaseCommand):
    help = "Compare every record with the audit log: chains, sealed and derived values, files. Fails on differences."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--rebuild", action="store_true", help="first store derived values again from their sources"
        )
        parser.add_argument(
            "--adopt",
            metavar="REASON",
            default="",
            help="accept the differences of rows, with this reason in the audit log",
        )

        parser.add_argument(
            "--backup",
            metavar="TARGET",
            default="",
            help="also compare with what the last backup in this folder or bucket knew",
        )

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002 (Django's signature)
        if options["rebuild"]:
            for rebuilder in hooks.rebuilders:
                if rebuilder.rebuild is not None:
                    rebuilder.rebuild()
        problems = [f"Entry {number} of the audit log was changed, or one before it." for number in broken_links()]
        proof = prove()
        problems += proof.broken
        for check in hooks.checks:
            problems += check()
        for witness in hooks.witnesses if options["backup"] else ():
            problems += witness(options["backup"])
        self.stdout.write(f"{proof.sealings} sealings and {proof.rows} rows read.")
        for summary in hooks.summaries:
            self.stdout.write(summary())
        for problem in (*problems, *proof.differences):
            self.stderr.write(str(problem))
        if options["adopt"]:
            self.stdout.write(f"{adopt(proof.differences, reason=options['adopt'])} rows adopted.")
        else:
            problems += map(str, proof.differences)
        if problems:
            raise CommandError(
                f"{len(problems)} difference{'s' if len(problems) > 1 else ''}. See docs/operators/records.md."
            )
        self.stdout.write("No differences.")
