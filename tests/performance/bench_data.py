"""Downloading: hosted data of gigabytes by the `podium` command, through a line that breaks twice.

The platform runs as `make run` starts it, with a worker that computes the checksum. Bytes are random. An account that has not
agreed to the data usage agreement asks as well and has to get nothing. `PODIUM_BENCH_GIGABYTES` (5) changes the size.
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.integration.datasets.cutting import cutting
from tests.performance.bench_uploads import Timing, highest_memory, web_memory, written

GIGABYTES = float(os.environ.get("PODIUM_BENCH_GIGABYTES", "5"))
HOST = """
import json, pathlib, time
from accounts.models import User
from accounts.services import issue_token
from challenges.models import Task
from challenges.services import create_challenge, join_with_team
from challenges.services.participation import set_terms, take_part
from datastore.datasets.services import hosting, offering
olga, ada, bo = (User.objects.create_user(name, f"{{name}}@example.org") for name in ("olga", "ada", "bo"))
challenge = create_challenge(actor=olga, organizers=[olga], slug="large", title="Large", summary="Many.", is_public=True)
Task.objects.create(challenge=challenge, slug="large", name="Large")
terms = set_terms(actor=olga, challenge=challenge, agreement="Here only.", requires_approval=False, team_size=None)
take_part(user=ada, challenge=challenge, terms=terms, affiliation="Here")
join_with_team(user=bo, challenge=challenge, team_name="Without the agreement")
dataset = offering.offer_dataset(actor=olga, challenge=challenge, name="Images", split="training", licence="CC BY 4.0")
version = dataset.versions.get()
file = hosting.host_file(actor=olga, version=version, path=pathlib.Path({path!r}))
began = time.monotonic()
while file.state != "ready":
    time.sleep(0.5)
    file.refresh_from_db()
offering.release_version(actor=olga, version=version)
tokens = [issue_token(user=user, name="bench", scopes=["read"], days=1)[1] for user in (ada, bo)]
pathlib.Path({answer!r}).write_text(json.dumps({{"tokens": tokens, "seconds": time.monotonic() - began}}))
"""


def benchmarks() -> Iterator[Timing]:
    """Host a file, and download it over a line that breaks at a third and at two thirds."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "client"))
    from podium_client.connection import Connection
    from podium_client.downloading import get_data
    from podium_client.errors import ClientError

    from tests.e2e.installation import embedded

    size = int(GIGABYTES * 1024**3)
    with tempfile.TemporaryDirectory() as place, embedded(Path(place) / "data") as platform:
        folder = Path(place)
        os.environ["XDG_CONFIG_HOME"] = place
        answer, source = folder / "answer.json", written(folder / "images.zip", size)
        platform.manage("shell", "-v0", "-c", HOST.format(path=str(source), answer=str(answer)))
        content = json.loads(answer.read_text())
        yield Timing(f"checksum of {GIGABYTES:g} GiB by a worker", content["seconds"], None, "–", None)
        before = web_memory(platform.data)
        try:
            get_data(
                Connection(platform.url, content["tokens"][1]),
                challenge="large",
                wanted=[],
                folder=folder / "bo",
                progress=lambda *_: None,
            )
        except ClientError as error:
            if "agreement" not in str(error):
                raise
        else:
            raise RuntimeError("an account without the agreement got something")
        with cutting(platform.url, [size // 3, size // 3]) as line, highest_memory(platform.data) as peak:
            started = time.monotonic()
            [got] = get_data(
                Connection(line.url, content["tokens"][0]),
                challenge="large",
                wanted=["images"],
                folder=folder / "ada",
                progress=lambda *_: None,
            )
            seconds = time.monotonic() - started
        if len(line.broken) != 2 or got.size != size:
            raise RuntimeError("the line was not broken twice, or the file is not whole")
        yield Timing(
            f"{GIGABYTES:g} GiB downloaded, broken off twice, {GIGABYTES * 1024 / seconds:.0f} MiB/s, "
            f"web {before:.0f} → {peak[0]:.0f} MiB",
            seconds, None, "–", None,
        )  # fmt: skip
