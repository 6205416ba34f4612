"""Export the latest ranking bundle of every phase of the loaded examples.

The bundles are those that the page offers for download. See README.md in this folder.
"""

import sys
from pathlib import Path

import django

ROOT = Path(__file__).resolve().parents[3]
# `platform/` is a source root, never a package.
sys.path[:0] = [str(ROOT / "platform"), str(ROOT)]


def main(folder: Path) -> None:
    """Write one bundle per phase into `folder`.

    Raises
    ------
    SystemExit
        If a phase has no ranking of all its submissions yet.
    """
    django.setup()
    from challenges.models import Phase
    from leaderboards.models import RankingVersion
    from leaderboards.services import bundles

    folder.mkdir(parents=True, exist_ok=True)
    for phase in Phase.objects.select_related("task__challenge"):
        version = RankingVersion.objects.filter(phase=phase).order_by("number").last()
        teams = phase.submissions.values("team").distinct().count()
        if version is None or len(version.inputs["teams"]) != teams:
            sys.exit(f"{phase.challenge.slug}/{phase.slug} is not ranked yet with all {teams} teams.")
        path = folder / f"{phase.challenge.slug}-{phase.slug}.zip"
        path.write_bytes(b"".join(bundles.chunks(version, key=phase.slug)))
        print(f"{path.name} {path.stat().st_size} bytes, {teams} teams, digest {version.digest}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
