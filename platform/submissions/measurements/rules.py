"""Permission to provide values measured outside, declared once and used by views, API and templates."""

import rules

from challenges.rules import is_organizer

# Owners and managers; of moderators and participants nobody, whoever measured.
rules.add_perm("measurements.bring_values", is_organizer)
