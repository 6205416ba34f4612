"""Rankings with their uncertainty; analysis pages; reports."""
