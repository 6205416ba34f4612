from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from operations.domain.backups import BackupError
from operations.management.commands.verify_backup import read_identity
from operations.services.backup_targets import target
from operations.services.restoring import restore


class Command(BaseCommand):
    help = "Bring an installation back from a backup, into an empty database and an empty storage, and verify it."
    # Before the first migration there is nothing that Django's checks could look at.
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("target", help="a folder, or s3://bucket/prefix")
        parser.add_argument("--backup", default="", help="its name; the last one by default")
        parser.add_argument("--identity", type=Path, help="file with the age identity that opens an encrypted backup")
        parser.add_argument("--without-key", action="store_true", help="go on without the key of the references")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002 (Django's signature)
        try:
            wrong = restore(
                target(options["target"]),
                options["backup"],
                identity=read_identity(options["identity"]),
                other_key=options["without_key"],
                tell=self.stdout.write,
            )
        except BackupError as error:
            raise CommandError(str(error)) from error
        for problem in wrong:
            self.stderr.write(problem)
        if wrong:
            raise CommandError(f"Restored, and {len(wrong)} things do not hold; each is named above.")
        self.stdout.write(
            "Restored, and everything holds. Next: python manage.py verify_registry, then start web and workers. Submissions "
            "after the backup are gone though their teams got mails: say so on the site."
        )
