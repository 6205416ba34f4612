"""Sealed files, as the verification of the storage reads them."""

from collections.abc import Callable, Iterator
from pathlib import PurePosixPath

from datastore.test_sets import vault
from datastore.test_sets.models import Annotation, TestCase, TestSetArchive
from datastore.uploads import hooks
from datastore.uploads.hooks import StoredFile
from datastore.uploads.services.proving import has_digest
from datastore.uploads.storage import sha256_of


def register() -> None:
    """Have references, images and open archives looked for."""
    hooks.stored_files.register(stored)


def stored() -> Iterator[StoredFile]:
    """Every file of every version, and the pieces of archives that wait to be read."""
    cases = TestCase.objects.values_list("pk", "test_set", "reference_file", "reference_sha256", "image_file")
    for pk, test_set, reference, digest, image in cases.order_by("pk").iterator():
        yield StoredFile(reference, f"reference of case number {pk}, test set {test_set}", opens_to(reference, digest))
        if image:
            proof = has_digest(image, PurePosixPath(image).name.partition(".")[0])
            yield StoredFile(image, f"image of case number {pk}, test set {test_set}", proof)
    annotations = Annotation.objects.values_list("pk", "reference_file", "reference_sha256")
    for pk, reference, digest in annotations.order_by("pk").iterator():
        yield StoredFile(reference, f"annotator's reference number {pk}", opens_to(reference, digest))
    for archive in TestSetArchive.objects.filter(state__in=TestSetArchive.UNDECIDED).order_by("pk").iterator():
        for piece in archive.files:
            yield StoredFile(piece, f"piece of archive {archive.pk}", opens_to(piece))


def opens_to(name: str, digest: str = "") -> Callable[[], str]:
    """Return a proof that a file opens with the key of this installation, and that its plain content has this SHA-256."""

    def proof() -> str:
        try:
            with vault.opened(name) as path:
                actual_digest = sha256_of(path)
        except vault.VaultError:
            return "it does not open: it was changed, or PODIUM_REFERENCE_KEY is not the key that it was sealed with"
        return (
            ""
            if not digest or actual_digest == digest
            else f"the SHA-256 of its content is {actual_digest} and was {digest}"
        )

    return proof
