"""Removing trees that were made to be hard to remove."""

import os
from pathlib import Path

import pytest

from confinement.containers.removing import remove_tree
from confinement.containers.space import look_through


def test_what_links_point_to_stays(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").write_text("x")
    tree = tmp_path / "tree"
    (tree / "a" / "b").mkdir(parents=True)
    (tree / "a" / "link").symlink_to(tmp_path / "kept")
    (tree / "a" / "b" / "up").symlink_to("../../..")
    os.mkfifo(tree / "pipe")

    remove_tree(tree)

    assert not tree.exists()
    assert (tmp_path / "kept" / "file").exists()


def test_a_link_in_its_stead_is_removed_alone(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "tree").symlink_to(tmp_path / "kept")

    remove_tree(tmp_path / "tree")
    remove_tree(tmp_path / "never there" / "tree")

    assert [own.name for own in tmp_path.iterdir()] == ["kept"]


def test_folders_without_rights_and_with_many_entries(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    for number in range(2_500):
        (tree / f"f{number}").mkdir(parents=True)
    (tree / "f7" / "inner").mkdir()
    (tree / "f7").chmod(0)

    assert look_through(tree, most=1_000).files == 1_001
    remove_tree(tree)

    assert not tree.exists()


def test_a_tree_deeper_than_paths_may_be_long(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    folder = os.open(tree, os.O_RDONLY)
    for _ in range(1_500):
        os.mkdir("n" * 200, dir_fd=folder)
        inner = os.open("n" * 200, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)

    with pytest.raises((RecursionError, OSError)):
        list(tree.rglob("*"))
    assert look_through(tree, most=10_000).files == 1_500
    remove_tree(tree)

    assert not tree.exists()
