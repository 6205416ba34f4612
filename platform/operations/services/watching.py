"""Process that replaces `manage.py run` after the start and only watches the other processes.

The command loads the whole platform to prepare it, which is a quarter of the memory of an idle installation. It
therefore becomes this program. The process keeps its number, and its children remain its children.
"""

import json
import os
import shutil
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, NoReturn

from operations.services.supervisor import STOPS, Adopted, Process, Supervisor

_ROOTS = Path(__file__).resolve().parents[2:4]


def become(supervisor: Supervisor, *, lock: IO[str], leaves: Sequence[Path]) -> NoReturn:
    """Go on as the watching program with the processes of this one.

    Parameters
    ----------
    lock
        The open file whose lock keeps others out; held on to the end.
    leaves
        Files and folders that are removed at the end.
    """
    state = {
        "processes": [_kept(process) for process in supervisor.processes],
        "leaves": [str(path) for path in leaves],
    }
    reader, writer = os.pipe()
    os.write(writer, json.dumps(state).encode())
    os.close(writer)
    for handed in (reader, lock.fileno()):
        os.set_inheritable(handed, True)
    # Told to stop meanwhile, the new program hears of it when it is there.
    signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
    sys.stdout.flush()
    sys.stderr.flush()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, _ROOTS))}
    words = [sys.executable, "-m", "operations.services.watching", str(reader)]
    os.execve(sys.executable, words, environment)  # noqa: S606 (no shell is what is wanted)


def _kept(process: Process) -> dict[str, Any]:
    assert process.popen is not None, "only what was started is watched"
    return {
        "name": process.name,
        "command": list(process.command),
        "env": dict(process.env),
        "cwd": process.cwd,
        "patience": process.patience,
        "started": process.started,
        "pid": process.popen.pid,
    }


def main(reader: int) -> int:
    """Watch until a stop signal, then stop all processes, clean up and return the exit code."""
    with os.fdopen(reader, "rb") as pipe:
        state = json.load(pipe)
    supervisor = Supervisor()
    for entry in state["processes"]:
        supervisor.processes.append(Process(popen=Adopted(entry.pop("pid")), **entry))
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
        return supervisor.watch()
    finally:
        supervisor.shut_down()
        for path in map(Path, state["leaves"]):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
