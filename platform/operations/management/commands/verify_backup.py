from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from operations.domain.backups import BackupError
from operations.services.backup_targets import target
from operations.services.backups import fingerprint, manifest_of, problems_of


class Command(BaseCommand):
    help = "Read a backup to its end and compare every file with its digest."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("target", help="a folder, or s3://bucket/prefix")
        parser.add_argument("--backup", default="", help="its name; the last one by default")
        parser.add_argument("--identity", type=Path, help="file with the age identity that opens an encrypted backup")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002 (Django's signature)
        try:
            storage = target(options["target"])
            problems = problems_of(
                storage, options["backup"], identity=read_identity(options["identity"]), tell=self.stdout.write
            )
            manifest = manifest_of(storage, options["backup"])
        except BackupError as error:
            raise CommandError(str(error)) from error
        for problem in problems:
            self.stderr.write(problem)
        if problems:
            raise CommandError(f"{len(problems)} problems: this backup cannot be relied on.")
        self.stdout.write(
            f"The backup of {manifest.made_at} is complete; its manifest has the SHA-256 {fingerprint(manifest)}."
        )


def read_identity(path: Path | None) -> str:
    """Read the identity in a file of age: comments, and one line with the key."""
    if path is None:
        return ""
    try:
        lines = [line.strip() for line in path.read_text().splitlines()]
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from error
    keys = [line for line in lines if line.startswith("AGE-SECRET-KEY-")]
    if len(keys) != 1:
        raise CommandError(f"{path} holds {len(keys)} lines that begin with AGE-SECRET-KEY-, and one is needed.")
    return keys[0]
