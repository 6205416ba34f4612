"""Changes of what is registered: requests, objections, decisions, deviations (REG-4 to REG-7)."""
