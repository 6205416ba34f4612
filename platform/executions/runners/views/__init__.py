"""Pages of runners."""
