"""Nothing but the public network is fetched, unless the user allows it."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.errors import ConfigError
from aeon.search.guard import AddressRefused, Guard, parse, resolve
from search.web import names, run

PUBLIC = ("93.184.216.34", "1.1.1.1", "2606:2800:220:1:248:1893:25c8:1946", "2a00:1450:4001:830::200e")
REFUSED = (
    "0.0.0.0", "0.1.2.3", "10.1.2.3", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254", "168.63.129.16",
    "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.1.1",
    "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.1.2.3", "240.0.0.1",
    "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:93.184.216.34", "::127.0.0.1", "64:ff9b::7f00:1",
    "64:ff9b::808:808", "64:ff9b:1::1", "100::1", "2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:10::1",
    "2001:db8::1", "2002:7f00:1::1", "2002:a9fe:a9fe::1", "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1",
    "fec0::1", "ff02::1",
)  # fmt: skip


def checked(url: str, guard: Guard) -> tuple[str, ...]:
    return run(guard.addresses(guard.place(url)))


def host(address: str) -> str:
    return f"[{address}]" if ":" in address else address


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_fetched(address: str) -> None:
    """A public address is let through, written in the URL or as what a name resolves to."""
    assert checked(f"https://{host(address)}/", Guard()) == (address,)
    assert checked("https://good.test/", Guard(resolver=names(good_test=address))) == (address,)


@pytest.mark.parametrize("address", REFUSED)
def test_other_addresses_are_refused(address: str) -> None:
    """Every class of address that is not public is refused, written in the URL or as what a name resolves to."""
    with pytest.raises(AddressRefused, match=r"is refused: an? "):
        checked(f"http://{host(address)}/", Guard())
    with pytest.raises(AddressRefused, match=r"bad\.test is .* address; if it is meant, allow bad\.test:80"):
        checked("http://bad.test/", Guard(resolver=names(bad_test=address)))


@pytest.mark.parametrize(
    "written", ["2130706433", "0x7f000001", "0x7f.1", "127.1", "017700000001", "0177.0.0.1", "127.0.0.1."]
)
def test_other_notations_of_an_address_are_refused(written: str) -> None:
    """Whatever the system makes of a host of digits is what is checked; what it makes nothing of is unknown."""
    with pytest.raises((AddressRefused, OSError), match=r"a loopback address|no address that can be fetched|not known"):
        checked(f"http://{written}/", Guard())


def test_one_bad_address_among_good_ones_is_enough() -> None:
    """A name that resolves to a public address and to a private one is refused whole."""
    with pytest.raises(AddressRefused, match=r"10\.0\.0\.5"):
        checked("http://both.test/", Guard(resolver=names(both_test=[["93.184.216.34", "10.0.0.5"]])))


@pytest.mark.parametrize(
    ("allow", "url"),
    [
        ("127.0.0.1:8888", "http://127.0.0.1:8888/search"),
        ("127.0.0.1", "http://127.0.0.1/"),
        ("10.0.0.0/8", "https://10.9.8.7/"),
        ("10.0.0.0/8:8080", "http://10.9.8.7:8080/"),
        ("[::1]:8080", "http://[::1]:8080/"),
        ("::1", "http://[::1]/"),
        ("fd00::/8", "http://[fd00::7]/"),
        ("wiki.test", "http://WIKI.test/"),
        ("wiki.test:8080", "http://wiki.test:8080/"),
        ("10.0.0.5:8080", "http://wiki.test:8080/"),
        ("bücher.test", "http://xn--bcher-kva.test/"),
    ],
)
def test_what_is_allowed_is_fetched(allow: str, url: str) -> None:
    """An address, a network or a name that the user allows is let through, at its port."""
    known = {"wiki_test": "10.0.0.5", "xn--bcher-kva_test": "10.0.0.6"}
    assert checked(url, Guard((allow,), names(**known)))


@pytest.mark.parametrize(
    ("allow", "url"),
    [
        ("127.0.0.1:8888", "http://127.0.0.1:8889/"),
        ("127.0.0.1:8888", "http://127.0.0.1/"),
        ("127.0.0.1", "http://127.0.0.1:8080/"),
        ("127.0.0.1:8888", "http://127.0.0.2:8888/"),
        ("127.0.0.1:8888", "http://93.184.216.34:8888/"),
        ("127.0.0.1:8888", "http://[::ffff:127.0.0.1]:8888/"),
        ("10.0.0.0/8", "http://11.0.0.1:8080/"),
        ("wiki.test", "http://sub.wiki.test/"),
        ("wiki.test", "http://other.test/"),
    ],
)
def test_what_is_allowed_allows_nothing_else(allow: str, url: str) -> None:
    """Another port, another address or another name of the same machine is not let through."""
    known = {"wiki_test": "10.0.0.5", "sub_wiki_test": "10.0.0.5", "other_test": "10.0.0.5"}
    with pytest.raises(AddressRefused):
        checked(url, Guard((allow,), names(**known)))


@pytest.mark.parametrize(
    "url",
    [
        "", "x", "example.com", "//example.com/", "ftp://example.com/", "file:///etc/passwd", "javascript:alert(1)",
        "data:text/html,hi", "gopher://127.0.0.1:25/", "http:///etc", "http://", "http://user:pw@example.com/",
        "http://user@example.com/", "http://example.com:8080/", "http://example.com:0/", "http://example.com:99999/",
        "http://exa mple.com/", "http://example.com\\@127.0.0.1/", "http://%31%32%37.0.0.1/", "http://[::1", "http://[x]/",
        "http://a..b/..", "http://.../", "http://\uff11\uff12\uff17.0.0.1/", "http://[fe80::1%25eth0]/",
        "http://[2606:2800:220:1:248:1893:25c8:1946%25eth0]/", "http://" + "a" * 5000, "http://a\x00b/", "http://\ud800/",
    ],
)  # fmt: skip
def test_what_is_no_plain_web_address_is_refused(url: str) -> None:
    """Other schemes, credentials, ports that are not allowed and what is malformed are refused in one line."""

    async def anywhere(host: str, port: int) -> list[str]:
        return ["93.184.216.34"]

    with pytest.raises(AddressRefused) as refusal:
        checked(url, Guard(resolver=anywhere))
    line = str(refusal.value)
    assert "\n" not in line and "pw" not in line and line.encode()


def test_an_address_has_one_form() -> None:
    """Case, a standard port, a fragment and blanks around it make no other address of it."""
    forms = ["http://x.test/a", "HTTP://X.test:80/a#b", " http://x.test:080/a "]
    assert {str(parse(form)) for form in forms} == {"http://x.test/a"}
    assert str(parse("https://x.test:443")) == "https://x.test/"
    assert str(parse("https://x.test:80/")) == "https://x.test:80/"


def test_look_alike_names_are_shown_in_ascii() -> None:
    """A name with a Cyrillic letter shows as punycode wherever the address is shown."""
    place = parse("http://\u0430pple.com/login#top")
    assert str(place) == "http://xn--pple-43d.com/login"
    assert place.host == "xn--pple-43d.com"


@pytest.mark.parametrize(
    "entry",
    [
        "",
        "http://x.test/",
        "x.test:99999",
        "10.0.0.0/99",
        "a b",
        "*",
        "1.2.3",
        "x?y",
        "x#y",
        "x:0",
        "x.test:y",
        "[::1",
        "::1:80:x",
        5,
    ],
)
def test_an_entry_that_allows_nothing_is_an_error(entry: object) -> None:
    """What is neither an address nor a network nor a name is refused in one line that says what to write."""
    with pytest.raises(ConfigError, match="cannot be allowed: write an IP address"):
        Guard((entry,))  # type: ignore[arg-type]


def test_a_host_that_cannot_be_a_name_is_unknown() -> None:
    """A label that is too long for the system's resolver is an unknown host, not an exception of its codec."""
    with pytest.raises(OSError, match=r"no host name|not known"):
        run(resolve("a" * 70 + ".test", 80))


@given(st.integers(0, 2**32 - 1))
def test_no_private_address_of_ipv4_is_let_through(number: int) -> None:
    """Whatever Python's own table calls private, loopback, link-local, multicast or reserved is refused."""
    address = ipaddress.IPv4Address(number)
    odd = address.is_private or address.is_multicast or address.is_reserved or address.is_loopback
    if odd or not address.is_global:
        with pytest.raises(AddressRefused):
            checked(f"http://{address}/", Guard())


@given(
    st.one_of(
        st.integers(0, 2**128 - 1),
        st.integers(2**125, 2**126 - 1),
        st.integers(0, 2**32).map(lambda n: n + (0xFFFF << 32)),
    )
)
def test_no_private_address_of_ipv6_is_let_through(number: int) -> None:
    """The same for IPv6, with all forms that hold an address of IPv4."""
    address = ipaddress.IPv6Address(number)
    embedded = address.ipv4_mapped or address.sixtofour or address.teredo
    if embedded or address.is_private or not address.is_global or address.is_multicast:
        with pytest.raises(AddressRefused):
            checked(f"http://[{address}]/", Guard())


@given(st.text(max_size=60) | st.from_regex(r"https?://[^/]{0,30}(/.{0,20})?", fullmatch=True))
def test_any_text_is_either_a_place_or_refused(text: str) -> None:
    """No text makes the guard raise anything else; what it takes is what it checks, and parses to itself."""
    try:
        place = parse(text)
    except AddressRefused as refusal:
        assert "\n" not in str(refusal) and str(refusal).encode()
    else:
        assert str(place).isascii() and parse(str(place)) == place
