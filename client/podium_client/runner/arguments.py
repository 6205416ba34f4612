"""The subcommand `podium runner`. Its code is loaded when it is called."""

import argparse
from pathlib import Path
from typing import Any

ENGINES = ("podman", "docker", "slurm", "kubernetes")


def _run(options: argparse.Namespace) -> int:
    from podium_client.runner.commands import run

    return run(options)


def configure(commands: Any) -> None:
    """Declare `runner`."""
    text = (
        "Run algorithms for an installation. The runner connects by outbound HTTPS only. Its token is read from the file of "
        "--token-file, or from the variable PODIUM_RUNNER_TOKEN."
    )
    parser: argparse.ArgumentParser = commands.add_parser(
        "runner", help="run algorithms for an installation", description=text
    )
    parser.set_defaults(run=_run)
    parser.add_argument("url", nargs="?", help="address of the installation; by default the variable PODIUM_URL")
    parser.add_argument("--token-file", type=Path, help="file that contains the token of the runner")
    parser.add_argument(
        "--folder", type=Path, help="folder of the runner; users of containers must be able to enter it"
    )
    parser.add_argument("--engine", choices=ENGINES, default="podman", help="what starts containers; podman by default")
    parser.add_argument(
        "--cluster", type=Path, metavar="FILE", help="properties of the cluster (JSON), for slurm, kubernetes"
    )
    parser.add_argument("--cpus", type=float, default=0.0, help="cores to offer; all by default")
    parser.add_argument("--memory-mib", type=int, default=0, help="memory to offer; three quarters by default")
    parser.add_argument("--gpus", default="", help="identifiers of GPUs to offer, separated by commas")
    parser.add_argument("--cache-gib", type=float, default=100.0, help="size of the cache of images and weights")
    parser.add_argument("--once", action="store_true", help="finish one run, or none if none is waiting, then end")
    parser.add_argument("--check", action="store_true", help="test engine, guarantees and token, then end")
