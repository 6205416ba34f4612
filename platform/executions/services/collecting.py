"""What is looked after between acts: interrupted uploads, blobs that nobody names."""

from executions.services import arriving, storing


def sweep() -> None:
    """Go on with what was interrupted and give up what is not used."""
    arriving.finish_whole()
    arriving.expire()
    storing.collect()
