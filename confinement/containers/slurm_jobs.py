"""Job scripts for Slurm, built without side effects: what a node runs to start one container and to report its end.

A script writes into the folder of its job, which login host and nodes share: `began`, `printed` (what the container
prints, bounded), `ended` (exit code and times), `usage` and `inspected`. It never decides about a result.
"""

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from confinement.containers.client import BACKSTOP_SECONDS, GROUPS, USER
from confinement.containers.engine import Mount, Start
from confinement.containers.roots import Program
from confinement.limits import MIB

LAUNCHERS = ("podman", "charliecloud", "apptainer")
ENGINE_BYTES = 512 * MIB
"""Memory that a job may use next to its container: the shell, and podman itself."""
LOADING_SECONDS = 900
"""Time of a job in which a node may load an image that it does not have."""
_CALL = "env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 USER=podium"


@dataclass(frozen=True)
class Site:
    """Properties of a cluster that an operator sets once."""

    launcher: str = "podman"
    partition: str = ""
    account: str = ""
    qos: str = ""
    constraint: str = ""
    gres: str = "gpu"
    """Name of the GPU resource, such as `gpu` or `gpu:a100`."""
    exclusive: bool = False
    """True if each job gets whole nodes; only then are times free of neighbours."""
    node_folder: str = "/tmp/podium"  # noqa: S108 (a folder of each node, with the user's number added)
    """Folder on the local disk of a node, for images and scratch files."""
    options: Sequence[str] = ()
    """More options of `sbatch`."""


class Podman(Protocol):
    """The parts of `confinement.containers.podman.Podman` that a script uses."""

    is_root: bool

    def command(self, start: Start) -> list[str]:
        """Return the call that starts a container."""

    def base(self) -> list[str]:
        """Return how each call begins."""


def submission(start: Start, site: Site, comment: str, *, script: Path) -> list[str]:
    """Return the call of `sbatch` for a start.

    Parameters
    ----------
    start
        The start, whose registered limits become the limits of the job.
    site
        Partition, account and other properties of the cluster.
    comment
        Text by which jobs of this installation are recognised.
    script
        The job script.
    """
    limits = start.limits
    minutes = math.ceil((start.seconds + BACKSTOP_SECONDS + LOADING_SECONDS) / 60)
    is_podman = site.launcher == "podman"
    memory = math.ceil((limits.memory_bytes + (ENGINE_BYTES if is_podman else 0)) / MIB)
    call = ["sbatch", "--parsable", f"--job-name={start.name}", f"--comment={comment}", "--no-requeue"]
    call += ["--export=NIL", "--chdir=/", f"--output={start.folder / 'slurm.log'}", "--open-mode=truncate"]
    call += ["--nodes=1", "--ntasks=1", f"--cpus-per-task={max(1, math.ceil(limits.cpus))}"]
    call += [f"--mem={memory}M", f"--time={minutes}"]
    named = {"partition": site.partition, "account": site.account, "qos": site.qos, "constraint": site.constraint}
    call += [f"--{name}={value}" for name, value in named.items() if value]
    if gpus := max(len(start.gpus), limits.gpus):
        call.append(f"--gres={site.gres}:{gpus}")
    if site.exclusive:
        call.append("--exclusive")
    return [*call, *site.options, str(script)]


def podman_script(
    start: Start, podman: Podman, *, layouts: Path, configuration: str, seccomp: Path, node_folder: str
) -> str:
    """Return the script that loads an image on a node where it is missing, and starts it with podman.

    Parameters
    ----------
    start
        The start.
    podman
        Builds the call; its folder is that of the node.
    layouts
        Shared folder with one OCI layout per image, named by the image's digest.
    configuration
        Content of podman's configuration file.
    seccomp
        Shared file with the filter of system calls.
    node_folder
        Folder on the node.
    """
    digest = start.image_id.removeprefix("sha256:")
    arguments = [f"seccomp={seccomp}" if word.startswith("seccomp=") else word for word in podman.command(start)]
    image = arguments.pop()
    words = shlex.join(arguments)
    base = shlex.join(podman.base())
    node = shlex.quote(node_folder)
    groups = (
        f"/sys/fs/cgroup/memory/{GROUPS}/{start.name} /sys/fs/cgroup/cpuacct/{GROUPS}/{start.name} "
        f"/sys/fs/cgroup/{GROUPS}/{start.name}"
    )
    gpus = "cat /dev/null" if not (start.gpus or start.limits.gpus) else _GPUS
    return f"""#!/bin/sh
{_head(start)}
NODE={node}
mkdir -p -m 711 "$NODE" || fail "the folder $NODE of the node cannot be used"
mkdir -p "$NODE/storage" "$NODE/run" "$NODE/home" "$NODE/temporary" || fail "the disk of the node is full"
printf %s {shlex.quote(configuration)} > "$NODE/containers.$SLURM_JOB_ID.conf" || fail "the disk of the node is full"
podman() {{
    {_CALL} HOME="$NODE/home" TMPDIR="$NODE/temporary" XDG_RUNTIME_DIR="$NODE/run" \\
        CONTAINERS_CONF="$NODE/containers.$SLURM_JOB_ID.conf" {base} "$@"
}}
load() {{
    podman image exists {digest} && return
    for image in $(podman images --quiet --no-trunc); do
        [ -e {shlex.quote(str(layouts))}/"${{image#sha256:}}" ] || podman rmi "$image"
    done
    ln -sfn {shlex.quote(str(layouts / digest))} "$W/podium-image" && cd "$W" || return
    podman pull --quiet oci:podium-image && podman untag {digest}
    podman image exists {digest}
}}
W=$(mktemp -d "$NODE/job-XXXXXXXX") || fail "the disk of the node is full"
chmod 711 "$W"
( flock 9; load ) 9> "$NODE/lock" || fail "the node cannot load the image {digest}"
mkdir "$W/call" && cd "$W/call" || fail "the disk of the node is full"
[ -z "$stopped" ] || fail "the job was cancelled before its container started"
# A container that is being created cannot be killed yet.
end() {{ until podman kill --signal KILL {start.name} || [ -s "$W/code" ]; do sleep 0.2; done; }}
# What the container prints is bounded here as well: the login host may look away for a while.
{{ podman {words} $({gpus}) {image}; echo $? > "$W/code"; }} < /dev/null 2>&1 | head -c {start.limits.log_bytes + MIB} > "$J/printed" &
is_there() {{
    for group in {groups}; do
        [ -n "$(cat "$group"/libpod-[0-9a-f][0-9a-f]*/cgroup.procs "$group"/libpod-[0-9a-f][0-9a-f]*/*/cgroup.procs 2> /dev/null)" ] && return
    done
    return 1
}}
{"until is_there || [ -e $W/code ]; do sleep 0.05; done" if podman.is_root else ""}
now > "$J/began"
while ! wait; do :; done
[ -e "$W/call/oom" ] && echo oom_kill 1 >> "$J/usage"
# A client that nobody reads may end before its container.
podman kill --signal KILL {start.name}
podman wait {start.name}
podman inspect --type container {start.name} > "$J/inspected"
for group in {groups}; do
    [ -r "$group/memory.max_usage_in_bytes" ] && echo high_water $(cat "$group/memory.max_usage_in_bytes") >> "$J/usage"
    [ -r "$group/memory.peak" ] && echo high_water $(cat "$group/memory.peak") >> "$J/usage"
    [ -r "$group/memory.events" ] && grep '^oom_kill ' "$group/memory.events" >> "$J/usage"
    [ -r "$group/cpuacct.usage" ] && echo cpu_nanoseconds $(cat "$group/cpuacct.usage") >> "$J/usage"
    [ -r "$group/cpu.stat" ] && grep '^usage_usec ' "$group/cpu.stat" >> "$J/usage"
done
{"echo own_group 1 >> $J/usage" if podman.is_root else ""}
podman rm --force --time 0 --ignore {start.name}
for group in /sys/fs/cgroup/*/{GROUPS}/{start.name} /sys/fs/cgroup/{GROUPS}/{start.name}; do
    [ -d "$group" ] && find "$group" -depth -type d -exec rmdir {{}} \\;
done 2> /dev/null
rm -f "$NODE/containers.$SLURM_JOB_ID.conf"
{_TAIL}
"""


def folder_script(start: Start, launcher: str, *, root: Path, program: Program, node_folder: str) -> str:
    """Return the script that starts an unpacked image with Charliecloud or Apptainer.

    Charliecloud has neither network nor process namespaces, and its mounts are writable. `unshare` therefore makes
    the namespaces, read-only inputs and bounded file systems around it. Nothing replaces the filter of system calls
    that podman has: the probe reports R6 as not met.
    """
    limits = start.limits
    inner = _charliecloud(start, root, program) if launcher == "charliecloud" else _apptainer(start, root, program)
    environment = {**program.environment, **start.environment}
    # A value with a line end cannot be written into the file; no variable of the interface has one.
    lines = "".join(f"{name}={value}\n" for name, value in environment.items() if "\n" not in name + value)
    size = max(limits.output_bytes, limits.scratch_bytes)
    bounds = f"prlimit --nofile=4096:4096 --core=0:0 --fsize={size}:{size} --nproc={limits.pids}:{limits.pids} --"
    spaces = "unshare --user --map-root-user --mount --net --pid --ipc --uts --cgroup --fork --kill-child=KILL"
    around = spaces if launcher == "charliecloud" else ""
    return f"""#!/bin/sh
{_head(start)}
NODE={shlex.quote(node_folder)}
mkdir -p -m 711 "$NODE" || fail "the folder $NODE of the node cannot be used"
W=$(mktemp -d "$NODE/job-XXXXXXXX") || fail "the disk of the node is full"
mkdir "$W/box" "$W/scratch" || fail "the disk of the node is full"
printf %s {shlex.quote(lines)} > "$W/environment" || fail "the disk of the node is full"
cat > "$W/inner" << 'PODIUM-END-OF-SCRIPT'
set -e
W=$1
{inner}
PODIUM-END-OF-SCRIPT
end() {{
    first=$(cat "$W/pid" 2> /dev/null) || return
    # The first process of the namespace: all others end with it.
    kill -KILL $(cat "/proc/$first/task/$first/children") || kill -KILL "$first"
}}
[ -z "$stopped" ] || fail "the job was cancelled before its container started"
now > "$J/began"
{{
    {_CALL} HOME=/ {bounds} {around} sh "$W/inner" "$W" & echo $! > "$W/pid"
    wait $!; echo $? > "$W/code"
}} < /dev/null 2>&1 | head -c {limits.log_bytes + MIB} > "$J/printed" &
while ! wait; do :; done
{_TAIL}
"""


def _charliecloud(start: Start, root: Path, program: Program) -> str:
    limits = start.limits
    lines = [
        "hostname podium",
        'mount -t tmpfs -o size=1m,mode=755,nosuid podium "$W/box"',
        'mkdir "$W/box/dev" "$W/box/tmp"',
        'mount -t tmpfs -o size=64k,mode=755,nosuid,noexec podium "$W/box/dev"',
        'mkdir "$W/box/dev/shm" "$W/box/dev/pts"',
        'for d in null zero full random urandom tty; do : > "$W/box/dev/$d"; mount --bind "/dev/$d" "$W/box/dev/$d"; done',
        'for d in /dev/nvidia*; do [ -c "$d" ] && : > "$W/box$d" && mount --bind "$d" "$W/box$d"; done; true'
        if start.gpus or limits.gpus
        else "true",
        f'mount -t tmpfs -o size={limits.shm_bytes},nosuid,nodev,mode=1777 podium "$W/box/dev/shm"',
        f'mount -t tmpfs -o size={limits.scratch_bytes},nosuid,nodev,mode=1777 podium "$W/box/tmp"',
        "mount -t proc -o nosuid,nodev,noexec podium /proc",
    ]
    binds = []
    for mount in (*start.mounts, Mount(start.output, "/output")):
        source = shlex.quote(str(mount.source))
        way = "rw" if mount.target == "/output" else "ro"
        lines += [f"mount --bind {source} {source}", f"mount -o remount,bind,{way},nosuid,nodev {source}"]
        binds += ["--bind", f"{mount.source}:{mount.target}"]
    lines.append('mount -o remount,ro,nosuid,noexec "$W/box/dev"')
    lines += ['mount --rbind "$W/box/dev" /dev', "ip link set lo up 2> /dev/null || true"]
    words = shlex.join([*binds, "--cd", program.folder, str(root), "--", *program.arguments])
    # Host files for users and groups are not mounted, since they name the users of the cluster.
    lines.append(
        f'exec setpriv --no-new-privs ch-run --uid={USER} --gid={USER} --no-home --no-passwd --unset-env="*" '
        f'--env-no-expand --set-env="$W/environment" --bind "$W/box/tmp:/tmp" {words}'
    )
    return "\n".join(lines)


def _apptainer(start: Start, root: Path, program: Program) -> str:
    binds = [f"--bind={mount.source}:{mount.target}:ro" for mount in start.mounts]
    binds.append(f"--bind={start.output}:/output:rw")
    options = ["--userns", "--containall", "--cleanenv", "--no-home", "--no-privs", "--no-eval", "--no-umask"]
    options += ["--net", "--network=none", "--hostname=podium", f"--pwd={program.folder}", *binds]
    if start.gpus or start.limits.gpus:
        options.append("--nv")
    words = shlex.join([*options, str(root), *program.arguments])
    return f'exec apptainer exec --env-file "$W/environment" --workdir "$W/scratch" {words}'


_GPUS = 'for gpu in $(echo "$CUDA_VISIBLE_DEVICES" | tr , " "); do printf -- "--device nvidia.com/gpu=%s " "$gpu"; done'


def _head(start: Start) -> str:
    return f"""set -u
umask 022
J={shlex.quote(str(start.folder))}
W=
now() {{ date +%s.%N; }}
fail() {{
    printf '%s\\n' "$1" > "$J/fault.part"; mv "$J/fault.part" "$J/fault"
    [ -n "$W" ] && rm -rf "$W"
    exit 99
}}
stopped=
end() {{ :; }}
trap 'stopped=1; end' TERM
hostname > "$J/node"; now > "$J/arrived\""""


_TAIL = """echo "$(cat "$W/code" 2> /dev/null || echo unknown)" "$(now)" > "$J/ended.part"
rm -rf "$W"
mv "$J/ended.part" "$J/ended"
exit 0"""


def usage(text: str) -> Mapping[str, int]:
    r"""Read what a script reported about resources; of a name that appears twice, the larger value counts.

    Examples
    --------
    >>> usage("high_water 1048576\noom_kill 0\noom_kill 1\nother\n")
    {'high_water': 1048576, 'oom_kill': 1}
    """
    values: dict[str, int] = {}
    for line in text.splitlines():
        name, _, value = line.partition(" ")
        if value.isascii() and value.isdigit():
            values[name] = max(values.get(name, 0), int(value))
    return values
