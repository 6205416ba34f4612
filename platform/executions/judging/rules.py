"""Permission to provide a scoring image, declared once and used by views and templates."""

import rules

from challenges.rules import is_named_organizer, is_organizer

rules.add_perm("judging.bring_scorers", is_organizer)
# A rule and not a permission: Django grants every permission to administrators, and an image can print what it read.
rules.add_rule("judging.read_logs", is_named_organizer)
