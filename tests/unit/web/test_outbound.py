"""Requests of the server: public addresses only, the checked address only, and an absolute deadline."""

import socket
import threading
import time

import pytest

from web import outbound
from web.outbound import RefusedError, ask, exchange, is_public, read

PUBLIC = [
    "8.8.8.8",
    "192.0.1.1",
    "192.1.0.1",
    "172.32.0.1",
    "100.63.255.255",
    "100.128.0.1",
    "2606:4700::1111",
    "2a00:1450:4001::1",
    "::ffff:8.8.8.8",
    "2002:808:808::1",
    "64:ff9b::8.8.8.8",
]
BARRED = {
    "this network": ["0.0.0.0", "0.255.255.255", "::"],
    "loopback": ["127.0.0.1", "127.255.255.254", "::1"],
    "private": ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12:3456::1"],
    "shared (CGNAT)": ["100.64.0.1", "100.127.255.255"],
    "link-local": ["169.254.169.254", "fe80::1", "fe80::1%eth0", "febf::1"],
    "site-local": ["fec0::1", "feff::1"],
    "protocol assignments": ["192.0.0.1", "192.0.0.8", "192.0.0.9", "192.0.0.170"],
    "documentation": ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"],
    "benchmarks": ["198.18.0.1", "198.19.255.255", "2001:2::1"],
    "6to4 relay": ["192.88.99.1"],
    "multicast": ["224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1"],
    "reserved": ["240.0.0.1", "255.255.255.255", "4000::1", "5f00::1", "100::1"],
    "IPv4-mapped": ["::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:192.0.0.8"],
    "IPv4-compatible": ["::127.0.0.1", "::10.0.0.1", "::8.8.8.8"],
    "IPv4-translated": ["::ffff:0:127.0.0.1", "::ffff:0:8.8.8.8"],
    "6to4": ["2002:7f00:1::1", "2002:a00:1::1", "2002:c0a8:101::1"],
    "NAT64": ["64:ff9b::127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b:1::1", "64:ff9b:1::8.8.8.8"],
    "Teredo": ["2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2"],
}


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_asked(address):
    assert is_public(address)


@pytest.mark.parametrize("address", [entry for entries in BARRED.values() for entry in entries])
def test_all_other_addresses_are_refused(address):
    assert not is_public(address)


def named(*rounds):
    """A resolver that answers each question with the next set of addresses."""
    left = list(rounds)

    def resolve(_host, port, **_):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in left.pop(0)]

    return resolve


def test_a_name_with_one_private_address_is_refused(monkeypatch):
    monkeypatch.setattr(socket, "getaddrinfo", named(["8.8.8.8", "10.0.0.1"]))
    with pytest.raises(RefusedError, match="private network"):
        read("http://mixed.example/", most_bytes=1000)


def test_the_connection_goes_to_the_address_that_was_checked(monkeypatch):
    """A name that resolves to the own network the second time (DNS rebinding) is resolved only once."""
    connected = []

    def connect(address, *_):
        connected.append(address[0])
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "getaddrinfo", named(["8.8.8.8"], ["127.0.0.1"]))
    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(RefusedError, match="no answer"):
        read("https://rebinding.example/", most_bytes=1000)
    assert connected == ["8.8.8.8"]


class Slow:
    """A server that sends a start, and then a byte every 50 ms without end; each byte renews a time-out of the socket."""

    def __init__(self, start=b"", byte=b"x"):
        self.start, self.byte = start, byte
        self.line = socket.create_server(("127.0.0.1", 0))
        self.port = self.line.getsockname()[1]
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self):
        try:
            connection, _ = self.line.accept()
            with connection:
                connection.sendall(self.start)
                while True:
                    connection.sendall(self.byte)
                    time.sleep(0.05)
        except OSError:
            return

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.line.close()
        self.thread.join(10)
        assert not self.thread.is_alive()


HEAD = b"HTTP/1.1 200 OK\r\n"
SLOW = {
    "a status line": ("http", b"", b"x"),
    "headers": ("http", HEAD + b"X-Slow: ", b"x"),
    "headers without end": ("http", HEAD, b"A: b\r\n"),
    "a body": ("http", HEAD + b"Content-Type: text/html\r\n\r\n", b"x"),
    "a body with a length": ("http", HEAD + b"Content-Length: 1000000\r\n\r\n", b"x"),
    "a handshake": ("https", b"\x16\x03\x03\x40\x00", b"\x00"),
}


@pytest.mark.parametrize(("scheme", "start", "byte"), SLOW.values(), ids=SLOW)
def test_a_server_that_sends_byte_by_byte_is_left_at_the_deadline(scheme, start, byte):
    with Slow(start, byte) as server:
        began = time.monotonic()
        with pytest.raises(RefusedError, match=r"too slow|no answer"):
            read(f"{scheme}://127.0.0.1:{server.port}/", most_bytes=10**9, seconds=1, allow_private=True)
        assert time.monotonic() - began < 20


def test_asking_ends_at_the_deadline_as_well():
    with Slow(HEAD + b"X-Slow: ") as server:
        answer = ask(f"http://127.0.0.1:{server.port}/", seconds=0.5, allow_private=True)
    assert (answer.works, answer.words) == (False, "too slow")


@pytest.mark.parametrize(("scheme", "start", "byte"), SLOW.values(), ids=SLOW)
def test_an_exchange_ends_at_the_deadline_as_well(scheme, start, byte):
    with Slow(start, byte) as server:
        address = f"{scheme}://127.0.0.1:{server.port}/"
        with pytest.raises(RefusedError, match=r"too slow|no answer"):
            exchange("PUT", address, b"x", headers={}, most_bytes=10**9, seconds=1, allow_private=True)


def test_a_resolver_that_hangs_ends_at_the_deadline(monkeypatch):
    released = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: released.wait(30) and [])
    with pytest.raises(RefusedError, match="too slow"):
        read("http://hangs.example/", most_bytes=1000, seconds=0.3)
    released.set()


def test_redirects_share_one_deadline(monkeypatch):
    monkeypatch.setattr(outbound, "_read_once", lambda *_, **__: time.sleep(0.2) or "/again")
    with pytest.raises(RefusedError, match="too slow"):
        read("http://example.org/", most_bytes=1000, seconds=0.3)
