"""The boundary: people as they are named in forms."""

from django import forms
from django.core.exceptions import ValidationError

from accounts.models import User


class PersonField(forms.CharField):
    """Field for a person with an account, by user name or e-mail address; its value is the `User`.

    The field does not reveal closed accounts: they count as unknown.
    """

    default_error_messages = {"unknown": "No account has this user name or e-mail address."}

    def __init__(self, *, label: str = "User name or e-mail address", max_length: int = 254, **options):
        super().__init__(label=label, max_length=max_length, **options)

    def clean(self, value):
        name = super().clean(value)
        if not name:
            return None
        people = User.objects.filter(is_active=True)
        # Whoever took another person's address for a user name is not given that person's role.
        person = people.filter(email__iexact=name).first() or people.filter(username=name).first()
        if person is None:
            raise ValidationError(self.error_messages["unknown"], code="unknown")
        return person
