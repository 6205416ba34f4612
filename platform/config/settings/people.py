"""Accounts, notifications, and operators of the installation."""

from django.core.exceptions import ImproperlyConfigured

from config.settings.environment import PODIUM_TLS, env
from config.settings.services import DATABASE_URL
from config.settings.sign_in import provider_applications, sign_in_providers

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "rules.permissions.ObjectPermissionBackend",
    "accounts.backends.OneCheckBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = env.str("ACCOUNT_EMAIL_VERIFICATION", "mandatory")
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if PODIUM_TLS else "http"
ACCOUNT_USER_MODEL_USERNAME_FIELD = "username"
ACCOUNT_ADAPTER = "accounts.adapter.AccountAdapter"
MFA_ADAPTER = "accounts.adapter.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
ACCOUNT_FORMS = {
    "change_password": "accounts.forms.ChangePasswordForm",
    "login": "accounts.forms.LoginForm",
    "reauthenticate": "accounts.forms.ReauthenticateForm",
    "signup": "accounts.forms.SignupForm",
    "reset_password": "accounts.forms.ResetPasswordForm",
}
# Of every change to an account its owner hears by e-mail, and can act if it was somebody else's.
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_RATE_LIMITS = {
    # From one address, and at one account whichever of its names is typed; for devices that the account knows, by device.
    # The day's count can be used up by strangers: a reset of the password by mail empties it.
    "login_failed": "10/m/ip,5/5m/key,100/d/key",
    "login_failed_on_device": "10/5m/key,100/d/key",
    "reset_password": "20/m/ip,5/h/key",
    # Of one kind to one address: sign-up and lost passwords must not fill strangers' mailboxes.
    "letter": "5/h/key",
}
ACCOUNT_MAX_EMAIL_ADDRESSES = 5
PASSWORD_RESET_TIMEOUT = 24 * 3600
# Number of trusted proxies in front of the web process (`web.clients`). Libraries that read the header themselves get the same number.
PODIUM_TRUSTED_PROXIES = env.int("PODIUM_TRUSTED_PROXIES", 0)
ALLAUTH_TRUSTED_PROXY_COUNT = PODIUM_TRUSTED_PROXIES
if PODIUM_TRUSTED_PROXIES < 0:
    raise ImproperlyConfigured("PODIUM_TRUSTED_PROXIES is the number of proxies before the web process: 0, 1, 2, …")
# Whether staff need a second factor; a database server is what tells the several-machine shape from the embedded one.
PODIUM_STAFF_SECOND_FACTOR = env.bool("PODIUM_STAFF_SECOND_FACTOR", bool(DATABASE_URL) and PODIUM_TLS)
# Invitations by e-mail that one person may send in a day, and that one address gets; withdrawn ones count.
PODIUM_INVITATIONS_PER_DAY = env.int("PODIUM_INVITATIONS_PER_DAY", 100)
PODIUM_INVITATIONS_TO_ADDRESS_PER_DAY = env.int("PODIUM_INVITATIONS_TO_ADDRESS_PER_DAY", 5)
# How long what has served its purpose is kept: sent mails, read messages, ended invitations.
PODIUM_RETENTION_DAYS = env.int("PODIUM_RETENTION_DAYS", 180)
# Who runs this installation and how to reach them: the imprint, and what operators add to the page on privacy.
PODIUM_IMPRINT = env.str("PODIUM_IMPRINT", "")
PODIUM_PRIVACY_CONTACT = env.str("PODIUM_PRIVACY_CONTACT", "")
PODIUM_PRIVACY_NOTE = env.str("PODIUM_PRIVACY_NOTE", "")
PODIUM_SIGNUP_OPEN = env.bool("PODIUM_SIGNUP_OPEN", True)
# The account that administers the platform; made at the first start of the several-machine shape (`first_administrator`).
PODIUM_ADMIN_EMAIL = env.str("PODIUM_ADMIN_EMAIL", "")
PODIUM_ADMIN_NAME = env.str("PODIUM_ADMIN_NAME", "administrator")

# Identity providers by which people sign in (docs/operators/sign-in.md).
PODIUM_SIGN_IN = sign_in_providers(env.json("PODIUM_SIGN_IN", []))
SOCIALACCOUNT_ADAPTER = "accounts.providers.ProviderAdapter"
SOCIALACCOUNT_PROVIDERS = provider_applications(PODIUM_SIGN_IN)
# An e-mail address that a provider states never opens an existing account, confirmed or not.
SOCIALACCOUNT_EMAIL_AUTHENTICATION = False
SOCIALACCOUNT_EMAIL_VERIFICATION = ACCOUNT_EMAIL_VERIFICATION
# A link on another site cannot start a sign-in: it takes the form of this site.
SOCIALACCOUNT_LOGIN_ON_GET = False
SOCIALACCOUNT_STORE_TOKENS = False

if email_url := env.str("EMAIL_URL", ""):
    vars().update(env.email_url_config(email_url))
else:
    EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
# A mail server that does not answer must not hold a worker.
EMAIL_TIMEOUT = env.int("EMAIL_TIMEOUT", 30)
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", "Podium <noreply@localhost>")
