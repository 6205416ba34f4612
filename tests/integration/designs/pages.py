"""Shared helpers for tests of design pages: saving as the form does, and the addresses of the pages."""

from django.urls import reverse

from evaluation.designs.catalogue import shipped

HTMX = {"HTTP_HX_REQUEST": "true"}


def post(client, design, parameter, task=None, **data):
    name = "designs:task_save" if task else "designs:save"
    args = [design.slug, parameter, *([task] if task else [])]
    return client.post(reverse(name, args=args), data, **HTMX)


def pages_of(design):
    task = design.tasks.first().key
    yield reverse("designs:detail", args=[design.slug])
    for section in shipped().sections:
        parameters = shipped().in_section(section.key)
        if any(not parameter.is_task for parameter in parameters):
            yield reverse("designs:section", args=[design.slug, section.key])
        if any(parameter.is_task for parameter in parameters):
            yield reverse("designs:task_section", args=[design.slug, section.key, task])
    for name in (
        "checks",
        "assessment",
        "versions",
        "compare",
        "people",
        "export_json",
        "export_markdown",
        "export_docx",
        "export_pdf",
    ):
        yield reverse(f"designs:{name}", args=[design.slug])
