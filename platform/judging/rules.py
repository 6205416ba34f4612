"""Who brings a scoring image: declared once, used by views and templates."""

import rules

from challenges.rules import is_organizer

rules.add_perm("judging.bring_scorers", is_organizer)
