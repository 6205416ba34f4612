"""A timestamp authority (RFC 3161) of this machine: OpenSSL behind a small web server."""

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

CONFIGURATION = """
[ca]
basicConstraints = critical, CA:true
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash

[leaf]
basicConstraints = CA:false
keyUsage = critical, digitalSignature
extendedKeyUsage = critical, timeStamping
authorityKeyIdentifier = keyid
subjectKeyIdentifier = hash

[tsa]
default_tsa = authority

[authority]
serial = {folder}/serial
signer_cert = {folder}/leaf.pem
signer_key = {folder}/leaf.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha384, sha512
accuracy = secs:1
ess_cert_id_alg = sha256
"""


class Authority:
    """An authority with its own root certificate.

    Attributes
    ----------
    root
        PEM file of the root certificate.
    url
        Address, while it is served.
    """

    def __init__(self, folder: Path, *, includes_root: bool = False) -> None:
        folder.mkdir(parents=True)
        self.folder, self.root, self.url = folder, folder / "root.pem", ""
        (folder / "serial").write_text("01\n")
        others = f"certs = {folder}/root.pem\n" if includes_root else ""
        (folder / "openssl.cnf").write_text(CONFIGURATION.format(folder=folder) + others)
        for name in ("root", "leaf"):
            self._openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{name}.key")
            self._openssl("req", "-new", "-key", f"{name}.key", "-subj", f"/CN={name} of a test", "-out", f"{name}.csr")
        sign = ("x509", "-req", "-days", "30", "-extfile", "openssl.cnf", "-extensions")
        self._openssl(*sign, "ca", "-in", "root.csr", "-signkey", "root.key", "-out", "root.pem")
        self._openssl(
            *(*sign, "leaf", "-in", "leaf.csr", "-CA", "root.pem", "-CAkey", "root.key", "-set_serial", "7"),
            *("-out", "leaf.pem"),
        )

    def _openssl(self, *arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)

    def reply(self, query: bytes) -> bytes:
        """Sign the query and return the reply."""
        (self.folder / "query").write_bytes(query)
        self._openssl("ts", "-reply", "-config", "openssl.cnf", "-queryfile", "query", "-out", "reply")
        return (self.folder / "reply").read_bytes()

    @contextmanager
    def served(self) -> Iterator[None]:
        """Answer over HTTP."""
        authority = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                assert self.headers["Content-Type"] == "application/timestamp-query"
                reply = authority.reply(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.url = f"http://127.0.0.1:{server.server_port}/tsr"
        try:
            yield
        finally:
            server.shutdown()
            thread.join()
            server.server_close()
