"""A real Slurm on this machine: controller, three nodes, accounts in a database, control groups that bound memory."""

import contextlib
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from confinement.containers.removing import remove_tree

NODES = ("n1", "n2", "n3")
_PLACES = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
_SECONDS = 45.0


@dataclass
class Cluster:
    """Processes of a cluster, and its folder."""

    folder: Path
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        return {"SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": _PLACES, "HOME": str(self.folder)}

    @classmethod
    def make(cls) -> "Cluster":
        folder = Path(tempfile.mkdtemp(prefix="podium-slurm-"))
        folder.chmod(0o755)
        own = cls(folder)
        try:
            own._start()
        except BaseException:
            own.close()
            raise
        return own

    def call(self, *arguments: str) -> str:
        done = subprocess.run(arguments, env=self.environment, capture_output=True, text=True, timeout=30, check=False)
        return done.stdout

    def start_node(self, name: str) -> None:
        """Start a node, whose processes are those of one process group."""
        self._run(name, "slurmd", "-D", "-N", name)

    def kill_node(self, name: str) -> None:
        """End a node as a power failure does: its daemon, and every process of its jobs."""
        daemon = self.processes.pop(name)
        daemon.kill()
        daemon.wait()
        for pid in _pids():
            if _environment(pid).get("SLURMD_NODENAME") == name and self._is_ours(pid):
                if _title(above := _parent(pid)).startswith("slurmstepd"):
                    _kill_below(above)
                _kill_below(pid)

    def close(self) -> None:
        for name in ("n1", "n2", "n3", "slurmctld", "slurmdbd", "mariadbd"):
            process = self.processes.pop(name, None)
            if process is not None:
                process.send_signal(signal.SIGTERM)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(5)
                process.kill()
                process.wait()
        remove_tree(self.folder)

    def _is_ours(self, pid: int) -> bool:
        return str(self.folder) in _environment(pid).get("SLURM_CONF", "") + _title(pid)

    def _start(self) -> None:
        folder = self.folder
        for name in ("state", "database", "log", *(f"spool-{node}" for node in NODES)):
            (folder / name).mkdir()
        ports = _free_ports(3 + len(NODES))
        self._configure(*ports[:3], ports[3:])
        subprocess.run(
            [
                "mariadb-install-db",
                "--no-defaults",
                f"--datadir={folder / 'database'}",
                "--user=root",
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
            ],
            env=self.environment,
            capture_output=True,
            check=True,
            timeout=_SECONDS,
        )
        self._run(
            "mariadbd",
            "mariadbd",
            "--no-defaults",
            f"--datadir={folder / 'database'}",
            "--user=root",
            f"--socket={folder / 'database.sock'}",
            "--bind-address=127.0.0.1",
            f"--port={ports[2]}",
            "--innodb-buffer-pool-size=32M",
            "--innodb-flush-log-at-trx-commit=0",
        )
        rights = "CREATE USER slurm@'%' IDENTIFIED BY 'slurm'; GRANT ALL ON slurm.* TO slurm@'%'"
        socket_option = f"--socket={folder / 'database.sock'}"
        self._until(lambda: self._works("mariadb", "--no-defaults", "--user=root", socket_option, "--execute", rights))
        self._run("slurmdbd", "slurmdbd", "-D")
        self._until(lambda: self._works("sacctmgr", "--immediate", "add", "cluster", "podium"))
        self._run("slurmctld", "slurmctld", "-D")
        for node in NODES:
            self.start_node(node)
        self._until(lambda: self.call("sinfo", "--noheader", "--format=%D %t").strip() == f"{len(NODES)} idle")

    def _configure(self, controller: int, accounts: int, database: int, nodes: list[int]) -> None:
        host, folder = socket.gethostname(), self.folder
        (folder / "slurmdbd.conf").write_text(
            f"AuthType=auth/none\nDbdHost={host}\nDbdAddr=127.0.0.1\nDbdPort={accounts}\nSlurmUser=root\n"
            f"StorageType=accounting_storage/mysql\nStorageHost=127.0.0.1\nStoragePort={database}\nStorageUser=slurm\n"
            f"StoragePass=slurm\nStorageLoc=slurm\nLogFile={folder}/log/slurmdbd\nPidFile={folder}/slurmdbd.pid\n"
        )
        (folder / "slurmdbd.conf").chmod(0o600)
        plugin = "v2" if Path("/sys/fs/cgroup/cgroup.controllers").exists() else "v1"
        (folder / "cgroup.conf").write_text(
            f"CgroupPlugin=cgroup/{plugin}\nConstrainRAMSpace=yes\nConstrainCores=no\nConstrainDevices=no\n"
        )
        ports = "\n".join(
            f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=4 RealMemory=8000 State=UNKNOWN"
            for name, port in zip(NODES, nodes, strict=True)
        )
        (folder / "slurm.conf").write_text(
            f"""ClusterName=podium
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser=root
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/cgroup
TaskPlugin=task/cgroup
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/log/slurmctld
SlurmdLogFile={folder}/log/slurmd-%n
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={accounts}
AccountingStoreFlags=job_comment
JobAcctGatherType=jobacct_gather/cgroup
JobAcctGatherFrequency=1
ReturnToService=2
MpiDefault=none
MailProg=/bin/true
SlurmdTimeout=6
KillWait=2
SchedulerParameters=sched_interval=1
SlurmdParameters=config_overrides
{ports}
PartitionName=run Nodes=ALL Default=YES MaxTime=60 State=UP
"""
        )

    def _run(self, name: str, *command: str) -> None:
        with (self.folder / "log" / f"{name}.out").open("wb") as log:
            self.processes[name] = subprocess.Popen(
                command, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )

    def _works(self, *command: str) -> bool:
        done = subprocess.run(command, env=self.environment, capture_output=True, timeout=30, check=False)
        return done.returncode == 0

    def _until(self, condition: object) -> None:
        until = time.monotonic() + _SECONDS
        while not condition():  # type: ignore[operator]
            for name, process in self.processes.items():
                if process.poll() is not None:
                    log = (self.folder / "log" / f"{name}.out").read_text(errors="replace")
                    raise RuntimeError(f"{name} has ended: {log[-500:]}")
            if time.monotonic() > until:
                raise TimeoutError("the cluster does not start")
            time.sleep(0.1)


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        lines = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [line.getsockname()[1] for line in lines]


def _pids() -> Iterator[int]:
    yield from (int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal())


def _title(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return ""


def _environment(pid: int) -> dict[str, str]:
    with contextlib.suppress(OSError):
        pairs = Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace").split("\0")
        return dict(pair.split("=", 1) for pair in pairs if "=" in pair)
    return {}


def _parent(pid: int) -> int:
    with contextlib.suppress(OSError, ValueError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


def _kill_below(pid: int) -> None:
    """End a process and all below it, parents first, so that none restarts or reports another."""
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGSTOP)
        children = [
            int(word)
            for task in Path(f"/proc/{pid}/task").iterdir()
            for word in (task / "children").read_text().split()
        ]
        os.kill(pid, signal.SIGKILL)
        for child in children:
            _kill_below(child)
