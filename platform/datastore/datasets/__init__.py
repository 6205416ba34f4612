"""Data for those who take part, and what of a challenge is published after it."""
