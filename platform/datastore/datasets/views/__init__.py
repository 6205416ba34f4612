"""Pages of data, their files, and what organizers do with them."""
