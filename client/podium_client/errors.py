"""Errors that end a command with one line on standard error."""


class ClientError(Exception):
    """Error that the user can resolve, with a message that describes the problem."""
