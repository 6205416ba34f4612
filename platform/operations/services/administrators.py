"""Roles that operators assign by command: platform administrator and chair of calls."""

from allauth.account.forms import default_token_generator
from allauth.account.models import EmailAddress
from allauth.account.utils import user_pk_to_url_str
from django.contrib.auth.models import Group
from django.db import transaction
from django.urls import reverse

from accounts.models import User
from core.audit.services import record
from reviews.rules import CHAIRS
from web.addresses import absolute

ADMINISTRATOR, CHAIR = "administrator", "chair"


@transaction.atomic
def make_first_administrator(*, email: str, username: str) -> User | None:
    """Create the account that administers the platform, without a password.

    Returns None if an active administrator already exists.
    """
    if User.objects.filter(is_superuser=True, is_active=True).exists():
        return None
    user = User.objects.create_superuser(username=username, email=email, password=None)
    EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
    record(actor=None, act="first_administrator_made", subject=user)
    return user


def password_address(user: User) -> str:
    """Return the address at which the person chooses a password: once, and for a day."""
    key = f"{user_pk_to_url_str(user)}-{default_token_generator.make_token(user)}"
    uid, _, token = key.partition("-")
    return absolute(reverse("account_reset_password_from_key", kwargs={"uidb36": uid, "key": token}))


@transaction.atomic
def give_role(*, user: User, role: str, actor: User | None = None) -> None:
    """Let an account administer the platform, or create and run calls."""
    if role == ADMINISTRATOR:
        user.is_staff = user.is_superuser = True
        user.save(update_fields=["is_staff", "is_superuser"])
    else:
        user.groups.add(Group.objects.get_or_create(name=CHAIRS)[0])
    record(actor=actor, act="role_given", subject=user, facts={"role": role})


@transaction.atomic
def take_role(*, user: User, role: str, actor: User | None = None) -> None:
    """Take a role away; calls that the account created remain."""
    if role == ADMINISTRATOR:
        user.is_staff = user.is_superuser = False
        user.save(update_fields=["is_staff", "is_superuser"])
    else:
        user.groups.remove(*Group.objects.filter(name=CHAIRS))
    record(actor=actor, act="role_taken", subject=user, facts={"role": role})
