"""Open warnings of the design's checks, and the answers of the organizers."""

from designs.models import DesignVersion
from designs.queries import document_of_version
from designs.queries.findings import all_findings
from evaluation.designs.catalogue import shipped
from evaluation.designs.checks import reads
from registry.domain.public_documents import without_contacts
from registry.models import RegistrationVersion
from registry.queries.records import answered_checks


def of_registration(version: RegistrationVersion) -> list[dict[str, str]]:
    """Return the warnings and answers of a registration, as the public record shows them."""
    return [
        {"task": finding.task, "message": finding.message, "answer": finding.answer}
        for finding in answered_checks(version)
        if finding.severity == "warning"
    ]


def of_version(version: DesignVersion) -> list[dict[str, str]]:
    """Of a design without a registration; nothing that reads a value which is not public."""
    document = document_of_version(version)
    names = {values.task_key: values.name for values in document.each_task()}
    hidden = {parameter.id for parameter in shipped().parameters.values() if parameter.visibility != "public"}
    return [
        {
            "task": names.get(finding.task, "") if finding.task else "",
            "message": without_contacts(finding.message),
            "answer": without_contacts(finding.answer.text) if finding.answer and finding.is_answered else "",
        }
        for finding in all_findings(document, design=version.design)
        if finding.severity == "warning" and not hidden & reads(finding.check)
    ]
