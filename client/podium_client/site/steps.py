"""The steps of a site in their order, read from its folder: what is done, and the one command that comes next."""

from dataclasses import dataclass

from evaluation.federation.documents import digest_of
from podium_client.site import outbox, running, summarising
from podium_client.site.folder import SiteFolder


@dataclass(frozen=True)
class Step:
    """One step: what is done in it, and the word of its command."""

    title: str
    word: str
    done: bool

    @property
    def command(self) -> str:
        return f"podium site {self.word}"


def steps(site: SiteFolder) -> list[Step]:
    """All steps, in order."""
    message_kinds = {message.kind for message in outbox.messages(site)}
    signed = message_kinds | {message.kind for message in outbox.former(site)}
    waiting = {message.kind for message in outbox.waiting(site)}
    fetched = site.has("package/package.json")
    checked = (
        site.has("checked.json")
        and fetched
        and (site.read("checked.json")["passed"] and site.read("checked.json")["package"] == digest_of(site.package))
    )
    sealed = "manifest-seal" in signed
    scored = fetched and sealed and not running.missing(site)
    summarised = (
        fetched and site.has("summary.json") and site.read("summary.json")["package"] == digest_of(site.package)
    )
    sent = fetched and summarising.is_signed(site) and "result" not in waiting
    small = site.has("sealed.json") and bool(site.read("sealed.json").get("small"))
    if small:
        return [
            Step("Register the key", "send", "site-registration" in message_kinds - waiting),
            Step("Get the package", "fetch", fetched),
            Step("Test this machine", "check", checked),
            Step("Seal the cases", "seal", True),
            Step("Score the algorithms", "run", fetched and not running.missing(site)),
            Step("Hand the results to the site that it joins", "hand-over", "site-hand-over" in signed),
            Step("Tell the centre", "send", "site-hand-over" in signed and not waiting),
        ]
    return [
        Step("Register the key", "send", "site-registration" in message_kinds - waiting),
        Step("Get the package", "fetch", fetched),
        Step("Test this machine", "check", checked),
        Step("Seal the cases", "seal", sealed),
        Step(
            "Tell the centre that the site is ready",
            "send",
            checked and sealed and not waiting & {"manifest-seal", "compatibility"},
        ),
        Step("Score the algorithms", "run", scored),
        Step("Read what will leave", "summary", summarised or sent),
        Step("Send it", "send", sent and not waiting),
    ]
