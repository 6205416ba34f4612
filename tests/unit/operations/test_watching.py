"""The process that stays of `manage.py run`: it has loaded nothing, and its children are those that were started before."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

from django.conf import settings

PROGRAM = textwrap.dedent("""
    import sys
    from pathlib import Path
    from operations.services.supervisor import Process, Supervisor
    from operations.services.watching import become
    folder = Path(sys.argv[1])
    supervisor = Supervisor()
    body = f"import os, time; open({str(folder / 'pids')!r}, 'a').write(str(os.getpid()) + chr(10)); time.sleep(600)"
    supervisor.add(Process("sleeper", [sys.executable, "-c", body]))
    (folder / "private").mkdir()
    (folder / "socket").write_text("")
    become(supervisor, lock=(folder / "lock").open("w"), leaves=[folder / "private", folder / "socket"])
""")


def waited_for(condition, seconds: float = 60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.05)
    raise AssertionError("not in time")


def started(folder: Path) -> subprocess.Popen:
    environment = {**os.environ, "PYTHONPATH": f"{settings.ROOT / 'platform'}{os.pathsep}{settings.ROOT}"}
    return subprocess.Popen([sys.executable, "-c", PROGRAM, str(folder)], env=environment, stderr=subprocess.PIPE)


def pids(folder: Path) -> list[int]:
    path = folder / "pids"
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def is_watching(process: subprocess.Popen) -> bool:
    return b"operations.services.watching" in Path(f"/proc/{process.pid}/cmdline").read_bytes()


def test_it_starts_again_what_ended_and_clears_up_when_it_is_told_to_stop(tmp_path):
    process = started(tmp_path)
    try:
        waited_for(lambda: is_watching(process) and pids(tmp_path))
        mapped = Path(f"/proc/{process.pid}/maps").read_text()
        assert "numpy" not in mapped
        [first] = pids(tmp_path)
        os.kill(first, signal.SIGKILL)
        waited_for(lambda: len(pids(tmp_path)) == 2)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert not (tmp_path / "private").exists()
        assert not (tmp_path / "socket").exists()
        assert not Path(f"/proc/{pids(tmp_path)[1]}").exists()
        assert b"sleeper ended with -9; starting it again" in process.stderr.read()
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
        for pid in pids(tmp_path):
            if Path(f"/proc/{pid}").exists():
                os.kill(pid, signal.SIGKILL)


def test_what_ended_while_nobody_watched_is_started_again(tmp_path):
    process = started(tmp_path)
    try:
        waited_for(lambda: pids(tmp_path))
        os.kill(pids(tmp_path)[0], signal.SIGKILL)
        waited_for(lambda: len(pids(tmp_path)) == 2)
    finally:
        process.terminate()
        process.wait(60)
        process.stderr.close()
