"""Images of each phase of an example, published on the data page for its teams."""

import re
import tempfile
import zipfile
from pathlib import Path

from accounts.models import User
from challenges.models import Phase
from datastore.datasets.models import Dataset
from datastore.datasets.services.digesting import digest_file
from datastore.datasets.services.hosting import host_file
from datastore.datasets.services.offering import offer_dataset, release_version
from evaluation.scoring import find_cases

_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")
"""Pattern of a link in Markdown."""
_EPOCH = (2026, 1, 1, 0, 0, 0)


def offer_images(*, phase: Phase, images: Path, cases: list[str], attribution: str, actor: User) -> None:
    """Offer the images of a phase as one archive, once; cases without an image are not in it."""
    name = f"Images of the {phase.name[:1].lower()}{phase.name[1:]}"
    if Dataset.objects.filter(challenge=phase.task.challenge, name=name).exists():
        return
    image_paths = find_cases(images)
    data = offer_dataset(
        actor=actor,
        challenge=phase.task.challenge,
        name=name,
        split=Dataset.Split.TEST,
        task=phase.task,
        access=Dataset.Access.OPEN,
        licence=linked[1] if (linked := _LINK.search(attribution)) else "as stated",
        citation=_LINK.sub(r"\1", attribution).replace("*", ""),
        description="One image a case.",
    )
    version = data.versions.get()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{phase.slug}-images.zip"
        # Images are compressed already; without times, the same content gives the same bytes.
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
            for case in cases:
                if case in image_paths:
                    archive.writestr(zipfile.ZipInfo(image_paths[case].name, _EPOCH), image_paths[case].read_bytes())
        file = host_file(actor=actor, version=version, path=path)
    digest_file(file_id=file.pk)
    release_version(actor=actor, version=version)
