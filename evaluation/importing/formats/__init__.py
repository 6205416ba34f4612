"""Results files of other platforms and programs, read as tables.

Each format is one object with one method that recognizes it and one that reads it (`Format`). A file is recognized by its
content, never by its name alone. Whatever the content leaves open is a question to a person: the columns keep the roles
that the format defines, and `Sheet.question` states what must be decided.
"""

from evaluation.importing.formats.reading import FORMATS, read_results_file

__all__ = ["FORMATS", "read_results_file"]
