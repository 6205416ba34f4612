from typing import Any

from django.apps import AppConfig, apps
from django.db import connection
from django.db.models.signals import post_migrate, pre_migrate


class AuditConfig(AppConfig):
    name = "core.audit"
    label = "audit"
    verbose_name = "Audit log"

    def ready(self) -> None:
        from core.audit import compilers, hooks, transactions, units
        from core.audit.services import sealing

        hooks.leave_free("audit.entry", "has its own chain of hashes")
        hooks.leave_free("audit.head", "is compared with the end of the chain")
        hooks.leave_free("audit.sealing", "has its own chain of hashes")
        hooks.leave_free("audit.sealinghead", "is compared with the end of the chain")
        compilers.install()
        transactions.install(sealing.seal)
        units.connect()
        pre_migrate.connect(transactions.begin_migration, dispatch_uid="audit.begin_migration")
        post_migrate.connect(_after_migration, dispatch_uid="audit.end_migration")


def _after_migration(sender: AppConfig, **_: Any) -> None:
    """Seal what the migrations wrote, and adopt columns that are new, once the last app has finished."""
    from core.audit import transactions
    from core.audit.models import Sealing
    from core.audit.services import sealing

    last = [config for config in apps.get_app_configs() if config.models_module is not None][-1]
    if sender is not last:
        return
    written = transactions.end_migration()
    table = Sealing._meta.db_table  # noqa: SLF001 (Django's public way to name a model)
    if table in connection.introspection.table_names():  # an older state has been migrated to
        is_first = not Sealing.objects.exists()
        sealing.adopt_new()
        if not is_first:  # else what the migrations wrote has just been adopted
            sealing.seal_migrated(written)
