import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from operations.domain.findings import Level
from operations.services.doctor import examine


class Command(BaseCommand):
    help = "Check a running installation part by part; each finding comes with its remedy."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="one JSON list")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002 (Django's signature)
        findings = examine()
        if options["json"]:
            self.stdout.write(json.dumps([asdict(finding) for finding in findings], indent=1))
        else:
            for finding in findings:
                self.stdout.write(f"{finding.level:<8} {finding.part:<12} {finding.said}")
                if finding.remedy:
                    self.stdout.write(f"{'':<21} → {finding.remedy}")
        errors = sum(finding.level == Level.ERROR for finding in findings)
        if errors:
            raise CommandError(f"{errors} {'part does' if errors == 1 else 'parts do'} not work as they should.")
