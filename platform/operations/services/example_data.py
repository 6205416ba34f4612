"""Generated data of examples.

The repository contains the challenge but not its files. They are generated when the example is loaded.
"""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings

from evaluation import durable, problems
from evaluation.canonical import sha256


def generated(content: Mapping[str, Any]) -> Path:
    """Return the folder with references and predictions of an example, generated at the first request.

    Parameters
    ----------
    content
        Content of ``challenge.json``. Its ``generated`` part contains the number of cases, the seed and the names
        of the algorithms, the best first. The problem kind of the assessment writes the files. The same numbers
        always produce the same files.
    """
    asked = content["generated"]
    kind = content["assessment"]["problem"]
    parent = settings.PODIUM_SCRATCH / "generated-examples"
    folder = parent / f"{content['slug']}-{sha256({**asked, 'kind': kind})[:12]}"
    if folder.is_dir():
        return folder
    parent.mkdir(parents=True, exist_ok=True)
    # Complete or not there at all: two processes may ask for it at once, and the second finds what the first wrote.
    written = Path(tempfile.mkdtemp(dir=parent))
    problems.get(kind).samples.write_challenge(
        written, cases=asked["cases"], seed=asked["seed"], algorithms=tuple(asked["algorithms"])
    )
    try:
        durable.settle_folder(written, folder)
    except OSError:
        if not folder.is_dir():
            raise
    return folder
