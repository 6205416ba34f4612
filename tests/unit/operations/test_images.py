"""Digests come only from the registry, for which a local stand-in answers like real registries."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import yaml

from operations.services.images import Image, RegistryError, digest_of, named, overlay

DIGEST = "sha256:" + "ab" * 32


class Registry(BaseHTTPRequestHandler):
    """Registry that has one image and serves it to clients with a token."""

    def do_HEAD(self):
        if self.headers.get("Authorization") != "Bearer ticket":
            self.send_response(401)
            realm = f"http://{self.headers['Host']}/token"
            self.send_header(
                "WWW-Authenticate", f'Bearer realm="{realm}",service="here",scope="repository:own/store:pull"'
            )
            self.end_headers()
            return
        known = {"/v2/own/store/manifests/1.0": DIGEST, "/v2/own/odd/manifests/1.0": "latest"}.get(self.path)
        self.send_response(200 if known else 404)
        if known:
            self.send_header("Docker-Content-Digest", known)
        self.end_headers()

    def do_GET(self):
        content = b'{"token": "ticket"}' if "scope=repository" in self.path else b"{}"
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        """Log nothing."""


@pytest.fixture
def registry():
    with ThreadingHTTPServer(("127.0.0.1", 0), Registry) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_the_digest_is_the_one_that_the_registry_gives_after_its_token(registry):
    assert digest_of(f"{registry}/own/store:1.0", plain=True) == DIGEST


@pytest.mark.parametrize(("name", "said"), [("own/none:1.0", "404|HTTP Error"), ("own/odd:1.0", "no digest")])
def test_what_the_registry_does_not_know_gets_no_digest(registry, name, said):
    with pytest.raises(RegistryError, match=said):
        digest_of(f"{registry}/{name}", plain=True)


def test_a_registry_that_is_not_there_is_named():
    with pytest.raises(RegistryError, match=r"127\.0\.0\.1:1 does not answer"):
        digest_of("127.0.0.1:1/own/store:1.0", plain=True, timeout=2)


def test_an_image_without_a_version_is_refused():
    with pytest.raises(RegistryError, match="names no version"):
        Image.parse("caddy")


def test_every_image_of_the_composition_has_a_version_and_the_overlay_names_all(settings):
    images = named(settings.ROOT / "docker-compose.yml", settings.ROOT / "Dockerfile")

    assert {"proxy", "postgres", "redis", "storage", "build"} <= set(images)
    for image in images.values():
        assert Image.parse(image).tag[0].isdigit(), image
    made = yaml.safe_load(overlay(dict.fromkeys(images, DIGEST), images, ["web"]))["services"]
    assert made["proxy"]["image"] == f"{images['proxy']}@{DIGEST}"
    assert made["web"]["build"]["args"]["BASE"].endswith(f"@{DIGEST}")
