"""Case metadata as they are ranked, kept and handed out."""

import io

import pandas as pd


def read_metadata(text: str | None) -> pd.DataFrame | None:
    """Read case metadata as text, so that no identifier is taken for a number."""
    return None if text is None else pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)
