"""Reading a text and comparing it with a document."""
