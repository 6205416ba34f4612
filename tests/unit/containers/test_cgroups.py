"""Groups of the kernel that end while they are looked through."""

from confinement.containers import cgroups


def test_a_group_that_has_just_ended_has_none_within(tmp_path):
    assert list(cgroups._below(tmp_path / "ended")) == [tmp_path / "ended"]
    (tmp_path / "inner").mkdir()
    assert list(cgroups._below(tmp_path)) == [tmp_path, tmp_path / "inner"]
