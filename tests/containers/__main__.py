"""All measurements with the real engine, at length.

Run with ``python -m tests.containers [guarantees|hostile|times|measuring|gpu] …``. `gpu` runs only if it is named.

With ``--undisturbed``, other processes on the same machine get hardly any processor time during the run.
"""

import sys
import time

from confinement.containers.probe import probe
from tests.containers import contained, figures, gpu, hostile
from tests.containers.machine import Machine, lacking
from tests.containers.undisturbed import undisturbed


def harm(machine: Machine) -> int:
    """Every hostile program, and an ordinary one after each."""
    bad = 0
    with contained.listening() as line:
        for own in hostile.ALL:
            began = time.monotonic()
            said = contained.problems(machine, own, line, is_alone=True) + contained.good_run(machine)
            bad += bool(said)
            print(
                f"{'contained' if not said else 'NOT CONTAINED'}  {time.monotonic() - began:5.1f} s  {own.number:2} {own.name}",
                flush=True,
            )
            for text in said:
                print(f"    {text}", flush=True)
    print(f"{len(hostile.ALL) - bad} of {len(hostile.ALL)} contained")
    return bad


def times(machine: Machine) -> int:
    """45 small cases, one by one and together."""
    alone, together = figures.starts(machine, together=False), figures.starts(machine, together=True)
    print(
        f"{figures.CASES} cases in {figures.CASES} containers: {alone:.1f} s (at most 40); in one: {together:.1f} s (at most 10)"
    )
    return (alone >= 40) + (together >= 10)


def measuring(machine: Machine) -> int:
    """Programs of known size, twenty times."""
    found = figures.all_measured(machine, repeats=20)
    print("\n".join(figures.table(found)))
    within = sum(measurement.is_within for measurement in found)
    print(f"{within} of {len(found)} within the bounds")
    return len(found) - within


def guarantees(machine: Machine) -> int:
    """Print the result of the probe of this machine; return whether it failed."""
    began = time.monotonic()
    own = probe(machine.engine, machine.folder / "probe")
    print(f"{own.sentence()} ({time.monotonic() - began:.1f} s; {', '.join(own.versions.values())})")
    return not own.ok


def main(arguments: list[str]) -> int:
    """Run the requested parts, or all parts by default."""
    if missing := lacking():
        print(f"not there for containers: {', '.join(missing)}")
        return 2
    parts = {"guarantees": guarantees, "hostile": harm, "times": times, "measuring": measuring}
    asked = [name for name in arguments if name != "--undisturbed"]
    machine = Machine.make()
    try:
        with undisturbed(wanted="--undisturbed" in arguments):
            return sum({**parts, "gpu": gpu.verify}[name](machine) for name in asked or parts)
    finally:
        machine.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
