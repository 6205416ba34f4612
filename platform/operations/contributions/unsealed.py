"""Fields that are not sealed, each with its reason; every other field of every model is sealed.

A new field or model needs no entry here. Add one only where a change past the platform cannot mislead anyone, or where the
field changes so often that a sealing per change would slow the platform down.
"""

from core.audit.hooks import leave_free, leave_free_in
from core.work.models import Work
from datastore.uploads.models.incoming import Incoming

_LEASE = "which worker has the job; the next claim overwrites it"
_ARRIVING = "progress of an upload, which the bytes on the disk decide"
_PROGRESS = "progress of a job, which its result replaces"
_LAST_USE = "time of the last use, for display to the owner"
_FRAMEWORK = "written by Django's migrations and not read by pages"


def register() -> None:
    """Declare them."""
    leave_free_in(Work, _LEASE, "lease_token", "lease_until", "attempts", "asked_at", "due_at", "failure")
    leave_free_in(Incoming, _ARRIVING, "offset", "updated_at", "expires_at")
    _framework()
    _people()
    _jobs()
    _machines()


def _framework() -> None:
    leave_free("contenttypes.contenttype", _FRAMEWORK)
    leave_free("auth.permission", _FRAMEWORK)
    leave_free("sessions.session", "signed by the session framework and deleted at sign-out")
    leave_free("admin.logentry", "the administration's own list; the audit log has the acts")


def _people() -> None:
    leave_free("accounts.user", _LAST_USE, "last_login")
    leave_free("accounts.accesstoken", _LAST_USE, "last_used_at")
    leave_free("mfa.authenticator", _LAST_USE, "last_used_at")
    leave_free("datasets.download", _LAST_USE, "last_used_at", "requests", "bytes_sent")
    leave_free("notifications.notification", "whether its owner has read it", "read_at")
    leave_free("notifications.email", "state of the delivery, which the mail server decides", "state", "sent_at")


def _jobs() -> None:
    leave_free("designs.simulation", _PROGRESS, "finished", "pieces")
    leave_free("designs.rehearsal", _PROGRESS, "step", "finished", "pieces")
    leave_free("leaderboards.rankingrequest", _PROGRESS, "progress", "begun")
    leave_free("leaderboards.analysis", _PROGRESS, "steps", "total")
    leave_free("reports.report", _PROGRESS, "step", "steps", "doing")
    leave_free("submissions.chunk", "working state of a run; the digest of the run's result is sealed")
    leave_free("executions.batch", _PROGRESS, "step", "log_bytes", "log_lines")
    leave_free("typesetting.setfile", _PROGRESS, "blocks", "asked_for_on", "made_at", "failed_at")
    leave_free("submissions.starterkit", _PROGRESS, "made_at", "problem")
    leave_free("designs.linkanswer", "a cached answer of another server, asked again")


def _machines() -> None:
    leave_free("operations.heartbeat", "shows that a worker is alive; written every few seconds")
    leave_free("executions.runhost", "what a machine reports of itself; written every few seconds")
    leave_free("webhooks.webhook", "how far the audit log was read for it; moves with every act", "sequence")
    leave_free("webhooks.delivery", "state of the delivery, which the receiver decides", "state", "status", "ended_at")
    leave_free("executions.blob", "whether a stored file is in use; counted again by the sweep", "unused_since")
