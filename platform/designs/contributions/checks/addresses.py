"""Web addresses, by the answers that the background task has stored."""

from designs.models import LinkAnswer
from evaluation.designs.checks.registry import Subject, register


@register("url_reachable", reads=("challenge_website", "submission_instructions_url"))
def url_reachable(subject: Subject) -> str | None:
    url = subject.values.text(subject.check.parameter)
    if not url or subject.design is None:
        return None
    answer = LinkAnswer.objects.filter(url=url).first()
    if answer is None or answer.works:
        return None
    return f"Asked on {answer.asked_at:%Y-%m-%d}: {answer.words}."
