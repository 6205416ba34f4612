"""Acts: hosting files, releasing versions, handing out addresses."""
