"""Steps of the backup drill inside the processes of an installation.

Run it with ``python -m tests.integration.operations.drill PART FOLDER``. There is one process for the installation that
is backed up and one for the restored one, because starting takes the longest.
"""

import re
import shutil
import sys
from io import StringIO
from pathlib import Path

import django


def said(*words: str, **options: object) -> str:
    """Return the output of a command, whether it succeeds or not."""
    from django.core.management import CommandError, call_command

    out = StringIO()
    try:
        call_command(*words, stdout=out, stderr=out, **options)
    except CommandError as error:
        return f"{out.getvalue()}FAILED: {error}"
    return out.getvalue()


def original(folder: Path) -> None:
    """Fill an installation, back it up, and attack the backups."""
    import pyrage
    from celery import current_app
    from django.core.management import call_command
    from django.db import transaction

    from accounts.notifications.models import Email
    from tests.integration.submissions.world import build, predictions, zipped

    call_command("migrate", verbosity=0)
    current_app.conf.update(task_always_eager=True, task_eager_propagates=True)
    world = build(folder / "references")
    world.upload(zipped(predictions()))
    with transaction.atomic():
        Email.objects.create(to="ada@example.org", kind="letter", subject="Good day", text="Good day")

    target = folder / "backups"
    assert "Keep them at another place, with another person" in said("backup", str(target))
    assert "of which 0 were copied" in said("backup", str(target))
    assert "is complete" in said("verify_backup", str(target))

    changed = folder / "changed"
    shutil.copytree(target, changed)
    file = next(path for path in (changed / "files").rglob("*") if path.is_file())
    file.write_bytes(b"changed")
    assert "its SHA-256 is" in said("verify_backup", str(changed))
    file.unlink()
    assert "is missing in the backup" in said("verify_backup", str(changed))
    for manifest in changed.rglob("manifest.json"):
        manifest.write_text('{"form": 1, "files": 3}')
    assert "FAILED: manifest.json lacks" in said("verify_backup", str(changed))

    identity, stranger = (pyrage.x25519.Identity.generate() for _ in range(2))
    for name, key in (("own", identity), ("other", stranger)):
        (folder / name).write_text(f"# made today\n{key}\n")
    sealed = folder / "sealed"
    said("backup", str(sealed), "--recipient", str(identity.to_public()))
    assert {path.suffix for path in sealed.rglob("*") if path.is_file()} == {".age", ".json"}
    assert "No identity was given: the encrypted bytes of" in said("verify_backup", str(sealed))
    assert "does not open" in said("verify_backup", str(sealed), "--identity", str(folder / "other"))
    assert "is complete" in said("verify_backup", str(sealed), "--identity", str(folder / "own"))

    cut = folder / "cut"
    shutil.copytree(sealed, cut)
    file = next(path for path in (cut / "files").rglob("*") if path.is_file())
    file.write_bytes(file.read_bytes()[:-9])
    assert "the SHA-256 of its encrypted bytes is" in said("verify_backup", str(cut))
    assert "does not open: it is incomplete" in said("verify_backup", str(cut), "--identity", str(folder / "own"))
    assert "1 of the copied files were there already" in said(
        "backup", str(cut), "--recipient", str(identity.to_public())
    )
    assert "is complete" in said("verify_backup", str(cut), "--identity", str(folder / "own"))


def restored(folder: Path) -> None:
    """Restore what `original` left into an empty installation, and verify it."""
    from django.conf import settings

    from accounts.models import User
    from accounts.notifications.models import Email
    from datastore.uploads.storage import private
    from submissions.models import Run

    sealed, identity = str(folder / "sealed"), str(folder / "own")
    assert "FAILED: The backup is encrypted" in said("restore", sealed)
    assert "this installation has no key" in said("restore", sealed, "--identity", identity)
    shutil.copyfile(folder / "data" / "references.key", settings.PODIUM_DATA / "references.key")
    (settings.PODIUM_DATA / "references.key").chmod(0o600)
    told = said("restore", sealed, "--identity", identity)
    assert "Restored, and everything holds" in told, told
    # What waited was mostly sent since: it is withheld, not sent again.
    assert re.search(r"[1-9]\d* mails? that waited", told), told
    assert not Email.objects.filter(state=Email.State.WAITING).exists()
    assert User.objects.filter(username="ada").exists()
    assert "chain intact" in said("verify_audit")
    assert "Everything holds" in said("verify_registry")
    assert "is not empty" in said("restore", sealed, "--identity", identity)
    run = Run.objects.exclude(result_file="").get()
    private().delete(run.result_file)
    assert run.result_file in said("verify_storage")


if __name__ == "__main__":
    django.setup()
    {"original": original, "restored": restored}[sys.argv[1]](Path(sys.argv[2]))
