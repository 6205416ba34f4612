from django.apps import AppConfig


class DriftConfig(AppConfig):
    name = "drift"
    verbose_name = "Drift checks"

    def ready(self):
        from drift import rules
        from drift.contributions import design_checks  # noqa: F401 (checks are registered on import)
        from drift.queries.work import DRIFT_CHECKS
        from registry import hooks
        from work.kinds import register

        register(DRIFT_CHECKS)
        hooks.register_tab("Drift", "drift:list", order=40, visible=rules.may_read_drift)
