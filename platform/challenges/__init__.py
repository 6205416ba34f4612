"""A registered design in operation: tasks, phases, teams, participation, announcements."""
