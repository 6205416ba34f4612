"""Keep the present version as a release."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import tests.environment  # noqa: F401 (settings)


def main() -> int:
    """Bring an installation up, wait until everything is scored, and keep its database."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

    django.setup()
    import evaluation
    from tests import releases
    from tests.e2e.installation import embedded, several_processes

    version, found = evaluation.__version__, {}
    with tempfile.TemporaryDirectory() as folder:
        shapes = {"sqlite": lambda: embedded(Path(folder) / "one", "--example", "nuclei")}
        if os.environ.get("DATABASE_URL"):
            shapes["postgresql"] = lambda: several_processes(Path(folder) / "several", "nuclei")
        for name, start in shapes.items():
            with start() as place:
                place.wait(lambda place=place: _is_done(place), "everything scored and ranked", seconds=900, every=2)
                found[name] = json.loads(place.shell(releases.COUNTED))
                if name == "postgresql":
                    url = place.env["DATABASE_URL"]
                    words = ["pg_dump", "--no-owner", "--no-privileges", "--dbname", url]
                    text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
                else:
                    text = releases.written(place.data / "podium.sqlite3")
            releases.keep(version, f"{name}.sql", text)
            print(
                f"{version}, {name}: {len(text):,} characters, {found[name]['scored']} submissions scored", flush=True
            )
    told = {"migrations": releases.migrations(), "databases": found}
    (releases.FOLDER / version / "release.json").write_text(json.dumps(told, indent=1, sort_keys=True) + "\n")
    return 0


def _is_done(place: object) -> bool:
    code = (
        "from submissions.models import Submission\nfrom core.work.kinds import registered\n"
        "print(Submission.objects.exclude(state__in=['scored', 'refused', 'withdrawn', 'failed']).count()"
        " + sum(kind.open_rows.count() for kind in registered()))"
    )
    return place.shell(code).split()[-1] == "0"


if __name__ == "__main__":
    sys.exit(main())
