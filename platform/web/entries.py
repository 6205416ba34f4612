"""Menu entries of the site itself."""

from django.conf import settings

from web import navigation, sitemap


def register_all() -> None:
    """Account pages that allauth serves, and the footer."""
    navigation.register("E-mail addresses", "account_email", menu="settings", order=70)
    navigation.register("Password", "account_change_password", menu="settings", order=71)
    navigation.register("Two-factor sign-in", "mfa_index", menu="settings", order=72)
    navigation.register(
        "Linked accounts", "socialaccount_connections", menu="settings", order=73, visible=_has_providers
    )
    navigation.register("About", "web:about", menu="footer", order=10)
    navigation.register("Help", "web:help", menu="footer", order=11)
    navigation.register("Privacy", "web:privacy", menu="footer", order=12)
    navigation.register("Contact", "web:imprint", menu="footer", order=13)
    navigation.register("Health", "/healthz", menu="footer", order=80)
    navigation.register("Licences", "web:licences", menu="footer", order=90)
    navigation.register("Design system", "web:design_system", menu="footer", order=95, visible=_style_guide_shown)
    sitemap.entries.register(_own_pages, order=0)


def _own_pages() -> "list[sitemap.Entry]":
    from web.discovery import own_pages

    return own_pages()


def _has_providers(_request: object) -> bool:
    return bool(settings.PODIUM_SIGN_IN)


def _style_guide_shown(_request: object) -> bool:
    from web.views import style_guide_shown

    return style_guide_shown()
