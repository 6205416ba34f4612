"""What ends a command with one line on standard error."""


class ClientError(Exception):
    """Something that the person can do something about; the message says what."""
