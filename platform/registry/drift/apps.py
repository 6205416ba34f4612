from django.apps import AppConfig


class DriftConfig(AppConfig):
    name = "registry.drift"
    label = "drift"
    verbose_name = "Drift checks"

    def ready(self):
        from core.work.kinds import register
        from registry import hooks
        from registry.drift import (
            contributions,  # noqa: F401 (checks are registered on import)
            rules,
        )
        from registry.drift.queries import DRIFT_CHECKS

        register(DRIFT_CHECKS)
        hooks.register_tab("Drift", "drift:list", order=40, visible=rules.may_read_drift)
