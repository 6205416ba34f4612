"""Entry of a design document into the form of a design, with the editor of each field."""

import json
from collections.abc import Mapping
from typing import Any, Final

from playwright.sync_api import Locator, Page

from evaluation.designs.catalogue import Parameter, shipped

OTHER: Final = "__other__"

# Saving begins 150 ms after a change, and a change during a save waits for it: until nothing was sent for a while.
QUIET: Final = """() => {
  const busy = document.querySelector("form.htmx-request");
  const now = performance.now();
  if (busy || !window.__quietSince) window.__quietSince = busy ? 0 : now;
  return !busy && now - window.__quietSince > 400;
}"""


def start(page: Page, url: str, title: str, *, tasks: str = "") -> str:
    """Start an empty design and return its slug."""
    page.goto(f"{url}/designs/")
    page.get_by_role("link", name="Start a design").first.click()
    page.get_by_label("Working title").fill(title)
    if tasks:
        page.locator("#id_tasks").fill(tasks)
    page.get_by_role("main").get_by_role("button", name="Start").click()
    page.wait_for_url("**/designs/*/")
    return page.url.rstrip("/").rsplit("/", 1)[-1]


def saved(field: Locator) -> None:
    """Wait until a field is saved."""
    field.locator(".design-status__ok").wait_for()


def press(control: Locator) -> None:
    """Select a control with the keyboard; a save that adds a finding moves controls away from a pointer."""
    control.focus()
    control.press("Enter")


def text_of(value: Any) -> str:
    """Return the text that a person types for the value of a cell."""
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def unfold(field: Locator) -> None:
    """Open all folded parts in the rows of a table."""
    field.locator("[data-rows-list]").evaluate(
        "rows => rows.querySelectorAll('details').forEach((details) => (details.open = true))"
    )


def fill_input(field: Locator, name: str, value: Any) -> None:
    """Enter a value into a control of a record or of a row."""
    box = field.locator(f'[name="{name}"]').first
    if isinstance(value, bool):
        box.select_option("true" if value else "false")
    elif isinstance(value, dict) and set(value) != {"other"}:
        box.fill(json.dumps(value))
    elif isinstance(value, dict):
        box.select_option(OTHER)
        field.locator(f'[name="{name}.other"]').fill(value["other"])
    elif box.evaluate("box => box.tagName") == "SELECT":
        box.select_option(value)
    else:
        box.fill(text_of(value))


def fill_state(field: Locator, state: Mapping[str, Any]) -> None:
    """Choose why a field has no value."""
    press(field.get_by_role("button", name="Can’t answer this?"))
    field.locator(f'[name="state"][value="{state["state"]}"]').check()
    if "reason" in state:
        field.locator('[name="reason"]').fill(state["reason"])


def fill_value(field: Locator, parameter: Parameter, value: Any) -> None:
    """Enter a value with the editor of its type."""
    if parameter.type == "list-of-objects":
        fill_rows(field, value)
    elif parameter.type == "object":
        fill_record(field, value)
    elif parameter.type in ("enum", "multi-enum"):
        for item in value if isinstance(value, list) else [value]:
            field.locator(f'[name="value"][value="{item}"]').check()
    else:
        field.locator('[name="value"]').fill(text_of(value))


def fill_record(field: Locator, record: Mapping[str, Any]) -> None:
    """Enter the entries of a record; the settings of a kind of problem appear after the kind is chosen and saved."""
    nested = {key: cell for key, cell in record.items() if isinstance(cell, dict) and "other" not in cell}
    for key, cell in record.items():
        if key not in nested:
            fill_input(field, f"value.{key}", cell)
    if not any(nested.values()):
        return
    field.locator("form.design-form").dispatch_event("change")
    saved(field)
    for key, cells in nested.items():
        for name, cell in cells.items():
            fill_appearing(field, f"value.{key}.{name}", cell)


def fill_rows(field: Locator, rows: list[dict[str, Any]]) -> None:
    """Enter the rows of a table."""
    for index, row in enumerate(rows):
        # An empty table begins with a row to write in.
        if field.locator("[data-rows-list] [data-row]").count() <= index:
            press(field.get_by_role("button", name="Add a row"))
        unfold(field)
        for key, cell in row.items():
            if key not in ("options", "policy"):
                fill_input(field, f"row.{index}.{key}", cell)


def fill_field(field: Locator, parameter: Parameter, values: Mapping[str, Any]) -> bool:
    """Enter the value of one parameter from the document, with the editor of its type.

    The function returns False if the document has no entry for the parameter.
    """
    value, state = values.get(parameter.id), values.get(f"{parameter.id}__state")
    if value is None and state is None:
        return False
    # What applies follows from answers; until then a field is folded to a line.
    if field.locator("form.design-form").is_hidden():
        press(field.locator("details.design-idle > summary"))
    if state is not None:
        fill_state(field, state)
    elif parameter.id == "metrics":
        fill_metrics(field, value)
    else:
        fill_value(field, parameter, value)
    if details := values.get(f"{parameter.id}__details"):
        more = field.get_by_role("button", name="In more detail")
        if more.get_attribute("aria-expanded") != "true":
            press(more)
        field.locator('[name="details"]').fill(details)
    field.locator("form.design-form").dispatch_event("change")
    if parameter.id == "metrics":
        saved(field)
        fill_options(field, value)
    return True


def fill_metrics(field: Locator, rows: list[dict[str, Any]]) -> None:
    """Enter metrics: the platform's metric or cost first, since the other cells of a row follow from it."""
    chosen = [{key: row[key] for key in ("metric", "cost") if key in row} for row in rows]
    fill_rows(field, chosen)
    field.locator("form.design-form").dispatch_event("change")
    saved(field)
    field.page.wait_for_function(QUIET)
    fill_rows(field, [{key: cell for key, cell in row.items() if key not in ("metric", "cost")} for row in rows])


def fill_options(field: Locator, rows: list[dict[str, Any]]) -> None:
    """Fill in options and policy of metrics, which appear after a metric is chosen."""
    for index, row in enumerate(rows):
        for part in ("options", "policy"):
            for name, value in row.get(part, {}).items():
                fill_appearing(field, f"row.{index}.{part}.{name}", value)


def fill_appearing(field: Locator, name: str, value: Any) -> None:
    """Enter a value into a control that appears after a save, and wait until it is saved."""
    box = field.locator(f'[name="{name}"]')
    box.wait_for(state="attached")
    box.evaluate(
        "box => { for (let at = box.closest('details'); at; at = at.parentElement.closest('details')) at.open = true; }"
    )
    text = value if isinstance(value, str) else json.dumps(value)
    if box.evaluate("box => box.tagName") == "SELECT":
        if box.input_value() == text:
            return
        with field.page.expect_response("**/save/"):
            box.select_option(text)
        return
    if box.input_value() == text:
        return
    box.fill(text)
    with field.page.expect_response("**/save/"):
        box.blur()


def fill_page(page: Page, section: str, values: Mapping[str, Any], task: str) -> list[Parameter]:
    """Fill in the fields of an open page of the form, and return their parameters.

    Fields are entered without pauses, faster than the server saves them.
    """
    parameters = [each for each in shipped().in_section(section) if each.is_task == bool(task)]
    filled = []
    for parameter in parameters:
        field = page.locator(f"#f-{parameter.id}{f'-{task}' if task else ''}")
        if fill_field(field, parameter, values):
            filled.append((parameter, field))
    for _, field in filled:
        saved(field)
    page.wait_for_function(QUIET)
    return [parameter for parameter, _ in filled]
