"""What is looked after between acts: interrupted uploads, archives that nobody runs any more, blobs that nobody names."""

from executions.services import arriving, deleting, storing


def sweep() -> None:
    """Go on with what was interrupted and give up what is not used."""
    arriving.finish_whole()
    arriving.expire()
    deleting.give_up_unused()
    storing.collect()
