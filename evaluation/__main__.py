"""``python -m evaluation COMMAND …``: the science side on the command line."""

from evaluation.cli import main

raise SystemExit(main())
