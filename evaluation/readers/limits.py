"""Limits on the size of files, checked before memory is allocated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper bounds of what a reader accepts.

    Attributes
    ----------
    file_bytes
        Size of the file on disk.
    decoded_bytes
        Size of the voxel data as the header declares it.
    axis
        Voxels along one axis.
    header_bytes
        Size of a header with its extensions.
    label
        Greatest label number.
    table_rows, table_columns, table_bytes
        Size of a table.
    cell_characters
        Length of one cell of a table.
    """

    file_bytes: int = 1 << 30
    decoded_bytes: int = 2 << 30
    axis: int = 65_536
    header_bytes: int = 1 << 20
    label: int = (1 << 31) - 1
    table_rows: int = 5_000_000
    table_columns: int = 2_000
    table_bytes: int = 512 << 20
    cell_characters: int = 1_000


DEFAULT: Final = Limits()
