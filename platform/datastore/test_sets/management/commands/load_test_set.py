from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from accounts.models import User
from challenges.models import Phase
from datastore.test_sets.domain import merging
from datastore.test_sets.services.archives import take_archive
from datastore.test_sets.services.sealing import TestSetError


class Command(BaseCommand):
    help = "Seal an archive of references as the test set of a phase, or replace the present one with a reason."

    def add_arguments(self, parser):
        parser.add_argument("challenge", help="short name of the challenge")
        parser.add_argument("phase", help="short name of the phase; with several tasks task/phase")
        parser.add_argument(
            "archive",
            type=Path,
            help="ZIP or TAR with references/ or annotator-<id>/ folders, and if wanted images/ and cases.csv",
        )
        parser.add_argument("--replace", metavar="REASON", default=None, help="replace the present version")
        parser.add_argument(
            "--merge",
            choices=list(merging.RULES),
            default="",
            help="how references of several annotators become one, where no registered design says it",
        )
        parser.add_argument("--as", dest="username", default="", help="user name that the log of acts is to name")

    def handle(self, *, challenge, phase, archive, replace, merge, username, **options):  # noqa: ARG002 (Django's signature)
        task, _, short = phase.rpartition("/")
        rows = Phase.objects.select_related("task__challenge").filter(task__challenge__slug=challenge, slug=short)
        fitting_phases = list(rows.filter(task__slug=task) if task else rows)
        if len(fitting_phases) != 1:
            raise CommandError(
                f"{len(fitting_phases)} phases fit {challenge} {phase}; name task and phase as task/phase."
            )
        if not archive.is_file():
            raise CommandError(f"There is no file {archive}.")
        actor = User.objects.filter(username=username).first() if username else None
        if username and actor is None:
            raise CommandError(f"There is no user {username}.")
        try:
            sealed = take_archive(
                phase=fitting_phases[0],
                path=archive,
                actor=actor,
                reason=replace or "",
                replaces=replace is not None,
                merge_rule=merge,
            )
        except TestSetError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{sealed}: {sealed.cases.count()} cases, manifest {sealed.manifest_digest}")
