"""A process next to a running installation that executes requests line by line: Python code or a command.

Each input line is a JSON object with `code` or `command`. Each output line is a JSON object with `said` and `error`.
"""

import contextlib
import io
import json
import os
import sys
import traceback


def main() -> None:
    """Answer until the input ends."""
    # What anything else prints goes to the log, never between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connections

    for line in sys.stdin:
        request = json.loads(line)
        said, error = io.StringIO(), ""
        try:
            with contextlib.redirect_stdout(said):
                if "code" in request:
                    exec(compile(request["code"], "<asked>", "exec"), {})
                else:
                    call_command(*request["command"], stdout=said)
        except Exception:  # noqa: BLE001 (whatever it was, whoever asked fails with it)
            error = traceback.format_exc()
        connections.close_all()
        answers.write(json.dumps({"said": said.getvalue(), "error": error}) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
