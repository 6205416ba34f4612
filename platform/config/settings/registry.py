"""Designs that are registered, and tables that people bring."""

from config.settings.environment import env

# --- Registry ---------------------------------------------------------------------------------------------------------
# The first part of every identifier; never change it once something is registered.
PODIUM_REGISTRY_PREFIX = env.str("PODIUM_REGISTRY_PREFIX", "podium")
# Who publishes, in citations; and the licence under which registered designs are published (an SPDX identifier).
PODIUM_PUBLISHER = env.str("PODIUM_PUBLISHER", "Podium")
PODIUM_REGISTRY_LICENSE = env.str("PODIUM_REGISTRY_LICENSE", "CC-BY-4.0")
# Deposit of registered versions in a repository with the interface of Zenodo, which mints a DOI; off without both.
PODIUM_DEPOSIT_URL = env.str("PODIUM_DEPOSIT_URL", "")
PODIUM_DEPOSIT_TOKEN = env.str("PODIUM_DEPOSIT_TOKEN", "")
# How long those who take part can object to a critical change before it can be approved.
PODIUM_OBJECTION_DAYS = env.int("PODIUM_OBJECTION_DAYS", 7)
# Whether the drift check may fetch web pages (of public hosts only); without it organizers paste or upload texts.
PODIUM_DRIFT_FETCH = env.bool("PODIUM_DRIFT_FETCH", False)
# Whether webhooks of organizers and chairs send messages to public hosts.
PODIUM_WEBHOOKS = env.bool("PODIUM_WEBHOOKS", True)
# The timestamp authority (RFC 3161) that signs the ends of the audit chains once per day; off without an address. The PEM
# file holds the certificate of its root. Addresses of private networks are refused unless the third setting is on.
PODIUM_TIMESTAMP_URL = env.str("PODIUM_TIMESTAMP_URL", "")
PODIUM_TIMESTAMP_CA = env.str("PODIUM_TIMESTAMP_CA", "")
PODIUM_TIMESTAMP_PRIVATE = env.bool("PODIUM_TIMESTAMP_PRIVATE", False)

# --- Tables that people bring -----------------------------------------------------------------------------------------
# How many analyses a person may have, how many within a day, and for how long those are kept that nobody keeps on purpose.
PODIUM_ANALYSES_MOST = env.int("PODIUM_ANALYSES_MOST", 50)
PODIUM_ANALYSES_PER_DAY = env.int("PODIUM_ANALYSES_PER_DAY", 20)
PODIUM_ANALYSES_DAYS = env.int("PODIUM_ANALYSES_DAYS", 30)
