"""Second factors are encrypted at rest, rows of earlier versions are migrated, and the key can be changed."""

import importlib

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    generate_totp_secret,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.apps import apps
from django.core.exceptions import ValidationError
from django.db import connection

from accounts.domain.sealing import is_current, is_sealed, plain_data, seal, unseal
from accounts.models import User
from accounts.services.rights import forget_what_is_old, renew_second_factors

pytestmark = pytest.mark.django_db
MIGRATION = importlib.import_module("accounts.migrations.0002_seal_second_factors")


@pytest.fixture
def ada():
    return User.objects.create_user("ada", "ada@example.org", "a long password")


def code(secret):
    return format_hotp_value(hotp_value(secret, next(yield_hotp_counters_from_time())))


def stored():
    """The data column as bytes of the database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT data FROM mfa_authenticator")
        return " ".join(str(row[0]) for row in cursor.fetchall())


def test_no_secret_of_a_second_factor_is_readable_in_the_database(ada):
    secret = generate_totp_secret()
    totp, recovery = TOTP.activate(ada, secret), RecoveryCodes.activate(ada)
    codes = recovery.generate_codes()
    seed = plain_data(recovery.instance.data)["seed"]
    text = stored()
    assert all(part not in text for part in (secret, seed, *codes))
    assert totp.validate_code(code(secret))
    assert recovery.validate_code(codes[0])
    assert not recovery.validate_code(codes[0])


def test_rows_of_earlier_versions_are_encrypted_by_the_migration_and_still_work(ada):
    secret, seed = generate_totp_secret(), RecoveryCodes.generate_seed()
    bo = User.objects.create_user("bo", "bo@example.org", "a long password")
    Authenticator.objects.create(user=ada, type="totp", data={"secret": secret})
    Authenticator.objects.create(user=ada, type="recovery_codes", data={"seed": seed, "used_mask": 1})
    Authenticator.objects.create(user=bo, type="recovery_codes", data={"migrated_codes": ["11112222", "33334444"]})
    for _ in range(2):  # a migration that was interrupted is run again
        MIGRATION.seal(apps, None)
    assert all(part not in stored() for part in (secret, seed, "11112222"))
    totp, recovery, migrated = (row.wrap() for row in Authenticator.objects.order_by("pk"))
    assert totp.validate_code(code(secret))
    assert len(recovery.get_unused_codes()) == len(recovery.generate_codes()) - 1
    assert migrated.validate_code("33334444")
    MIGRATION.unseal(apps, None)
    assert Authenticator.objects.get(user=ada, type="totp").data == {"secret": secret}


def test_an_earlier_key_opens_what_it_encrypted_until_it_is_renewed(ada, settings):
    secret = generate_totp_secret()
    settings.SECRET_KEY = "the first key " * 4
    TOTP.activate(ada, secret)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "the second key " * 4, ["the first key " * 4]
    row = Authenticator.objects.get()
    assert not is_current(row.data["secret"])
    assert unseal(row.data["secret"]) == secret
    forget_what_is_old()
    assert renew_second_factors() == 0
    settings.SECRET_KEY_FALLBACKS = []
    assert Authenticator.objects.get().wrap().validate_code(code(secret))


def test_a_lost_key_lets_nobody_in(ada, settings):
    totp = TOTP.activate(ada, generate_totp_secret())
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another key " * 4, ["a third key " * 4]
    for guess in (code(""), "000000"):
        with pytest.raises(ValidationError, match="Write to the operators"):
            totp.validate_code(guess)
    assert renew_second_factors() == 0


def test_two_equal_secrets_are_stored_differently_and_recognized():
    first, second = seal("SAME"), seal("SAME")
    assert first != second
    assert is_sealed(first)
    assert not any(is_sealed(plain) for plain in (generate_totp_secret(), RecoveryCodes.generate_seed(), "12345678"))
