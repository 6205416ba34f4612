from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from operations.domain.backups import BackupError
from operations.models import BackupMade
from operations.services.backup_targets import target
from operations.services.backups import back_up, fingerprint, manifest_of


class Command(BaseCommand):
    help = "Copy database and stored files to a folder or bucket, while the platform runs. Keys are in no backup."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("target", help="a folder, or s3://bucket/prefix")
        parser.add_argument("--recipient", default="", help="public part (age1…) of an age identity: encrypt for it")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002 (Django's signature)
        try:
            storage = target(options["target"])
            name = back_up(storage, recipient=options["recipient"], tell=self.stdout.write)
        except BackupError as error:
            raise CommandError(str(error)) from error
        except (OSError, BotoCoreError, ClientError) as error:
            raise CommandError(
                f"No backup was made: {error}. Earlier backups are as they were. Fix the cause, then start the same command "
                "again; files that were copied completely are not copied again."
            ) from error
        manifest = manifest_of(storage, name)
        BackupMade.objects.create(
            name=name, made_at=timezone.now(), files=len(manifest.files), timestamps=manifest.timestamps
        )
        sequence, digest = manifest.head
        self.stdout.write(
            f"Backup {name}, verified. Note elsewhere: its manifest has the SHA-256 {fingerprint(manifest)}, and the audit chain ends "
            f"at entry {sequence}, {digest or 'none'}, and {manifest.timestamps} timestamps of a third party."
        )
        self.stdout.write(
            "Not in it: SECRET_KEY, the passwords in .env, and the key of the references"
            + (f" (the identity of {manifest.key})" if manifest.key else "")
            + ". Keep them at another place, with another person: without that key no reference can ever be read again."
        )
