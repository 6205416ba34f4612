"""Leftovers of engine trials whose process was killed."""

import os

from confinement.containers import probe


def test_what_a_killed_trial_left_is_removed_and_what_another_process_tries_stays(tmp_path):
    ended = tmp_path / "probe-4194999-abc" / "look" / "working"
    ended.mkdir(parents=True)
    (ended / "output.img").write_bytes(b"x")
    living = tmp_path / f"probe-{os.getpid()}-def"
    living.mkdir()
    (tmp_path / "leases").mkdir()
    probe._sweep(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {living.name, "leases"}
