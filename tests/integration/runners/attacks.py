"""Requests that a runner, honest or not, sends to the interface."""

import hashlib
import uuid
from typing import Any

from confinement.containers.batches import BatchReport
from confinement.containers.orders import measurements_of
from confinement.containers.probe import REQUIREMENTS
from executions.runners.services.reporting import Report
from tests.integration.runners.world import SLOTS


def report_of_runner(**slots: Any) -> Report:
    """State of a machine on which all guarantees hold."""
    holds = dict.fromkeys(REQUIREMENTS, True)
    return Report(1, "0.2.0", "podman", {}, holds, {}, "", SLOTS | slots)


class Peer:
    """A program with a token that sends whatever a test wants."""

    def __init__(self, client: Any, secret: str) -> None:
        self.client, self.headers = client, {"Authorization": f"Bearer {secret}"}

    def ask(self, method: str, path: str, content: Any = None, **more: Any) -> Any:
        """Send JSON to an address of the interface."""
        fields = {"headers": self.headers, **more}
        if content is not None:
            fields |= {"data": content, "content_type": "application/json"}
        return getattr(self.client, method)(f"/api/v1/runner/{path}", **fields)

    def report(self, **slots: Any) -> Any:
        """Report the state."""
        content = {
            "protocol": 1,
            "version": "0.2.0",
            "engine": "podman",
            "holds": dict.fromkeys(REQUIREMENTS, True),
            "hardware": SLOTS | slots,
        }
        return self.ask("put", "", content)

    def claim(self, key: uuid.UUID | None = None) -> Any:
        """Claim a run."""
        return self.ask("post", "runs/", {"key": str(key or uuid.uuid4())})

    def claimed(self) -> dict[str, Any]:
        """Claim a run that is there."""
        answer = self.claim()
        assert answer.status_code == 201, answer.content
        return answer.json()

    def send(self, run: str, content: bytes, *, offset: int = 0, digest: str | None = None) -> Any:
        """Send a piece of outputs."""
        headers = self.headers | {
            "Upload-Offset": str(offset),
            "Content-SHA256": digest or hashlib.sha256(content).hexdigest(),
        }
        return self.client.patch(
            f"/api/v1/runner/runs/{run}/outputs/",
            data=content,
            content_type="application/offset+octet-stream",
            headers=headers,
        )

    def measure(self, run: str, **values: Any) -> Any:
        """Send measurements."""
        content = measurements_of(BatchReport(exit_code=0, wall_seconds=0.1, exclusive=True))
        return self.ask("put", f"runs/{run}/measurements/", content | values)

    def finish(self, run: str, manifest: Any) -> Any:
        """End a run."""
        return self.ask("post", f"runs/{run}/finish/", {"manifest": manifest})


def manifest_of(claimed: dict[str, Any], content: bytes, **changes: Any) -> list[dict[str, Any]]:
    """The manifest of a run of one case and one output."""
    [case], [output] = claimed["order"]["cases"], claimed["order"]["outputs"]
    entry = {
        "case": case["name"],
        "file": output["file"],
        "taken": "taken",
        "name": output["file"],
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "reason": "",
    }
    return [entry | changes]
