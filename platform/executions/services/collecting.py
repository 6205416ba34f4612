"""Regular maintenance: interrupted uploads, archives without further runs, and unreferenced blobs."""

from executions.services import arriving, deleting, storing


def sweep() -> None:
    """Go on with what was interrupted and give up what is not used."""
    arriving.finish_whole()
    arriving.expire()
    deleting.give_up_unused()
    storing.collect()
