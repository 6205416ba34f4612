from django.apps import AppConfig


class ExposureConfig(AppConfig):
    """Facts of a challenge and conclusions from them; reports are written from both. Has no tables and no pages."""

    name = "exposure"
    verbose_name = "Exposure"
