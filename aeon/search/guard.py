"""Which addresses may be fetched: those of the public network, and what the user allows.

A page can link to anything, a name can resolve to anything, and both can change from one moment to the next. So a name
is resolved once, every address that it resolves to is checked, and the connection goes to an address that was checked.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import httpx2

from aeon.errors import ConfigError
from aeon.text import one_line

__all__ = ["AddressRefused", "Guard", "Place", "Resolver", "parse", "resolve"]

Resolver: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
"""Gives the addresses of a host name for a port; raises ``OSError`` for a name that it does not know."""

_Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
_Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

_LONGEST = 4_000
_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?")
_ENTRY = re.compile(r"(\[(?P<six>[^\]]+)\]|(?P<many>[^:]*:[^:]*:.*)|(?P<one>[^:]+))(:(?P<port>[0-9]{1,5}))?")

# The special-purpose registries of IANA, and a public address that serves metadata. They are written out, since what
# `ipaddress` counts as private differs between versions of Python.
_REFUSED: tuple[tuple[str, str], ...] = (
    ("0.0.0.0/8", "an unspecified"),
    ("10.0.0.0/8", "a private"),
    ("100.64.0.0/10", "a carrier's shared (CGNAT)"),
    ("127.0.0.0/8", "a loopback"),
    ("168.63.129.16/32", "a metadata"),
    ("169.254.0.0/16", "a link-local or metadata"),
    ("172.16.0.0/12", "a private"),
    ("192.0.0.0/24", "a reserved"),
    ("192.0.2.0/24", "a reserved"),
    ("192.88.99.0/24", "a reserved"),
    ("192.168.0.0/16", "a private"),
    ("198.18.0.0/15", "a reserved"),
    ("198.51.100.0/24", "a reserved"),
    ("203.0.113.0/24", "a reserved"),
    ("224.0.0.0/4", "a multicast"),
    ("240.0.0.0/4", "a reserved"),
    ("::/128", "an unspecified"),
    ("::1/128", "a loopback"),
    ("::ffff:0:0/96", "an IPv4-mapped"),
    ("64:ff9b::/96", "a NAT64"),
    ("64:ff9b:1::/48", "a NAT64"),
    ("2001::/32", "a Teredo"),
    ("2001::/23", "a reserved"),
    ("2001:db8::/32", "a reserved"),
    ("2002::/16", "a 6to4"),
    ("3fff::/20", "a reserved"),
    ("fc00::/7", "a private"),
    ("fe80::/10", "a link-local"),
    ("ff00::/8", "a multicast"),
)
_CLASSES = tuple((ipaddress.ip_network(network), label) for network, label in _REFUSED)
_GLOBAL_6 = ipaddress.IPv6Network("2000::/3")
"""All that is public in IPv6 lies in it."""


class AddressRefused(Exception):
    """An address is not fetched; the text is one line that says why."""


class Place(NamedTuple):
    """An address as it is fetched: without its fragment, and with the host in ASCII, so that look-alikes show.

    ``host`` is a name without a dot at its end, or an IP address.
    """

    url: httpx2.URL
    host: str
    port: int

    @property
    def origin(self) -> tuple[str, str, int]:
        """Scheme, host and port."""
        return self.url.scheme, self.host, self.port

    @property
    def entry(self) -> str:
        """What allows exactly this server, as an entry of a `Guard`."""
        return _with_port(self.host, self.port)

    @property
    def server(self) -> str:
        """The server as an error shows it, without path and query."""
        return f"{self.url.scheme}://{self.url.netloc.decode()}"

    def __str__(self) -> str:
        return str(self.url)


def parse(url: str) -> Place:
    """Return an address in its plain form.

    Raises:
        AddressRefused: it is no address of http or https, or holds a user or a password.
    """
    label = one_line(repr(_unsecret(url)), 120)
    if len(url) > _LONGEST:
        raise AddressRefused(f"the address {label} is refused: it has more than {_LONGEST:,} characters")
    try:
        parsed = httpx2.URL(url.strip())
    except (httpx2.InvalidURL, ValueError):
        raise AddressRefused(f"{label} is no address that can be fetched") from None
    if fault := _fault(parsed):
        raise AddressRefused(f"{label} is refused: {fault}")
    standard = _PORTS[parsed.scheme]
    port = standard if parsed.port is None else parsed.port
    plain = parsed.copy_with(raw_path=parsed.raw_path, fragment=None, port=None if port == standard else port)
    return Place(plain, parsed.raw_host.decode("ascii").rstrip("."), port)


def _fault(url: httpx2.URL) -> str:
    """Why an address is none that can be fetched from anywhere, "" if it is one."""
    host = url.raw_host.decode("ascii")
    if url.scheme not in _PORTS or not host:
        return "only addresses with http:// or https:// are fetched"
    if url.userinfo:
        return "it has a user or a password in it"
    if not _HOST.fullmatch(host) and not _is_ip(host):
        return f"{one_line(repr(host), 60)} is no host"
    if url.port is not None and not 0 < url.port < 65_536:
        return f"there is no port {url.port}"
    return ""


async def resolve(host: str, port: int) -> list[str]:
    """Return the addresses that this machine resolves a host to. Raises ``OSError`` for one that it does not know."""
    try:
        hits = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError:
        raise OSError("its name is no host name") from None
    return list(dict.fromkeys(str(hit[4][0]) for hit in hits))


@dataclass(frozen=True)
class _Allowed:
    """An entry of what the user allows: a network or a host name; without a port, the standard ones."""

    network: _Network | None
    name: str
    port: int | None

    def fits(self, host: str, address: _Address, port: int) -> bool:
        is_there = self.name == host if self.network is None else _within(address, self.network)
        return is_there and self.has_port(port)

    def has_port(self, port: int) -> bool:
        return port == self.port if self.port is not None else port in _PORTS.values()


class Guard:
    """Decides which addresses may be fetched.

    ``allow`` are entries beside the public network and its ports 80 and 443: an IP address, a network such as
    ``10.0.0.0/8``, or a host name, each with ``:PORT`` behind it if the port is another one; an IPv6 address with a
    port stands in brackets. A host name is allowed wherever it resolves to. ``resolver`` gives the addresses of a name.

    Raises:
        ConfigError: an entry is none of these.
    """

    def __init__(self, allow: Iterable[str] = (), resolver: Resolver = resolve) -> None:
        self._allowed = tuple(map(_entry, (allow,) if isinstance(allow, str) else allow))
        self._resolve = resolver

    def place(self, url: str) -> Place:
        """Return the address in its plain form. Nothing is resolved yet.

        Raises:
            AddressRefused: as `parse`, or it has a port that is not allowed.
        """
        place = parse(url)
        if place.port not in _PORTS.values() and not any(entry.port == place.port for entry in self._allowed):
            raise AddressRefused(
                f"{one_line(str(place), 120)} is refused: only the ports 80 and 443 are used; if it is meant, allow "
                f"{place.entry}"
            )
        return place

    async def addresses(self, place: Place) -> tuple[str, ...]:
        """Return the IP addresses that may be connected to for a place; its name is resolved once.

        Raises:
            AddressRefused: one of them is not allowed; then none is used.
            OSError: the name is unknown.
        """
        hits = [place.host] if _is_ip(place.host) else await self._resolve(place.host, place.port)
        if not hits:
            raise OSError("the name has no address")
        for hit in hits:
            self._check(place, ipaddress.ip_address(hit))
        return tuple(dict.fromkeys(hits))

    def _check(self, place: Place, address: _Address) -> None:
        if any(entry.fits(place.host, address, place.port) for entry in self._allowed):
            return
        if label := _class(address):
            name = "" if _is_ip(place.host) else f"{place.host} is {address}, "
            raise AddressRefused(
                f"{one_line(str(place), 120)} is refused: {name}{label} address; if it is meant, allow {place.entry}"
            )
        if place.port not in _PORTS.values():
            raise AddressRefused(f"{one_line(str(place), 120)} is refused: port {place.port} is allowed elsewhere only")


def _class(address: _Address) -> str:
    """What kind of an address that is not public it is, "" for a public one."""
    if address.version == 6 and address.scope_id is not None:
        return "a link-local"
    for network, label in _CLASSES:
        if _within(address, network):
            return label
    return "a reserved" if address.version == 6 and address not in _GLOBAL_6 else ""


def _within(address: _Address, network: _Network) -> bool:
    return address.version == network.version and address in network


def _is_ip(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _with_port(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _unsecret(url: str) -> str:
    """The address for an error, with what stands before an ``@`` blotted out."""
    head, at, tail = url.rpartition("@")
    return f"***@{tail}" if at and "/" not in head.partition("://")[2] else url


def _entry(text: str) -> _Allowed:
    """The entry of what is allowed. Raises ``ConfigError`` for what is none."""
    match = _ENTRY.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        raise _not_an_entry(text)
    port = int(match["port"]) if match["port"] else None
    where = match["six"] or match["many"] or match["one"]
    try:
        entry = _Allowed(ipaddress.ip_network(where, strict=False), "", port)
    except ValueError:
        entry = _Allowed(None, _name(match["one"] or "", text), port)
    if port is not None and not 0 < port < 65_536:
        raise _not_an_entry(text)
    return entry


def _name(written: str, entry: str) -> str:
    """The host name in ASCII. Raises ``ConfigError`` for what is none."""
    try:
        place = parse(f"http://{written}/")
    except AddressRefused:
        raise _not_an_entry(entry) from None
    if set(written) & set("/?#") or not place.host.strip("0123456789."):
        raise _not_an_entry(entry)
    return place.host


def _not_an_entry(text: object) -> ConfigError:
    return ConfigError(
        f"{one_line(repr(text), 80)} cannot be allowed: write an IP address, a network such as 10.0.0.0/8 or a host "
        "name, with :PORT behind it if the port is not 80 or 443"
    )
