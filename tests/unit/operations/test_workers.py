"""The process from which the workers of one machine are forked."""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from tests.unit.operations.test_watching import waited_for

PROGRAM = textwrap.dedent("""
    import sys, time
    from pathlib import Path
    from operations.services import workers
    loaded = []
    def load():
        loaded.append("once")
    def run(fork):
        with open(sys.argv[1], "a") as file:
            print(fork.name, *fork.words, *loaded, __import__("os").getpid(), file=file)
        time.sleep(600)
    workers.load, workers.run = load, run
    sys.exit(workers.main({"first": ["a", "b"], "second": ["c"]}))
""")

KILLED_WHILE_FORKING = textwrap.dedent("""
    import os, signal, sys, time
    from pathlib import Path
    from billiard import Process
    from billiard.util import register_after_fork
    from operations.services import workers
    class Late:
        def wait(self):
            Path(sys.argv[1]).write_text(f"pool {os.getpid()}")
            while os.getppid() == worker:
                time.sleep(0.01)
    class Application:
        def start(self, words):
            Process(target=time.sleep, args=(600,)).start()
            while not Path(sys.argv[1]).exists():
                time.sleep(0.01)
            os.kill(worker, signal.SIGKILL)
    worker, late = os.getpid(), Late()
    register_after_fork(late, Late.wait)
    workers.current_app = Application()
    workers.run(workers.Forked("worker", []))
""")


@contextmanager
def running(path: Path, program: str = PROGRAM) -> Iterator[subprocess.Popen]:
    environment = {**os.environ, "PYTHONPATH": f"{settings.ROOT / 'platform'}{os.pathsep}{settings.ROOT}"}
    process = subprocess.Popen([sys.executable, "-c", program, str(path)], env=environment, stderr=subprocess.PIPE)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def started(path: Path) -> list[list[str]]:
    return [line.split() for line in path.read_text().splitlines()] if path.exists() else []


def is_there(row: list[str]) -> bool:
    return Path(f"/proc/{row[-1]}").exists()


def test_what_ends_is_forked_again_of_what_was_loaded_once_and_all_stop_with_it(tmp_path):
    path = tmp_path / "started"
    with running(path) as process:
        waited_for(lambda: len(started(path)) == 2)
        first = next(row for row in started(path) if row[0] == "first")
        assert first[1:-1] == ["a", "b", "once"]
        os.kill(int(first[-1]), signal.SIGKILL)
        waited_for(lambda: len(started(path)) == 3)
        assert started(path)[-1][:-1] == first[:-1]
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert not [row for row in started(path) if is_there(row)]
        assert b"first ended with -9; starting it again" in process.stderr.read()


def test_killed_it_leaves_nobody_behind(tmp_path):
    path = tmp_path / "started"
    with running(path) as process:
        waited_for(lambda: len(started(path)) == 2)
        process.kill()
        process.wait()
        waited_for(lambda: not [row for row in started(path) if is_there(row)])


def test_a_pool_process_ends_if_its_worker_was_killed_while_it_began(tmp_path):
    path = tmp_path / "started"
    with running(path, KILLED_WHILE_FORKING) as process:
        assert process.wait(60) == -signal.SIGKILL
        [pool] = started(path)
        waited_for(lambda: not is_there(pool))


def test_what_is_loaded_starts_no_thread_that_a_fork_would_leave_behind(tmp_path):
    code = textwrap.dedent("""
        from pathlib import Path
        from operations.services import workers
        workers.load()
        print(*sorted((task / "comm").read_text().strip() for task in Path("/proc/self/task").iterdir()))
    """)
    environment = {
        **os.environ,
        "PODIUM_DATA": str(tmp_path),
        "PYTHONPATH": f"{settings.ROOT / 'platform'}{os.pathsep}{settings.ROOT}",
        **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    }
    said = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    # That of jemalloc knows of forks: it stops before one and starts again after it.
    assert set(said.stdout.split()) <= {"python", Path(sys.executable).name, "jemalloc_bg_thd"}
