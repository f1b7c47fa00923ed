"""The base URL of an endpoint, in one spelling and without a secret, since journals and errors show it; and its key."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from aeon.errors import ConfigError

__all__ = ["API_KEY", "plain_key", "plain_url", "unsecret"]

API_KEY = "AEON_API_KEY"
"""The environment variable for the key, unless the caller names another."""

_EXAMPLE = "it should look like http://127.0.0.1:8080/v1"


def plain_url(url: str, key: str = API_KEY) -> str:
    """The URL with its host in lower case and without a slash at its end.

    ``key`` is the environment variable for what is secret. No error repeats what could be.

    Raises:
        ConfigError: it is no URL of an API's root, or has a user, a password or a query in it.
    """
    if not url.startswith(("http://", "https://")):
        raise ConfigError(f"the base URL {unsecret(url)!r} is none; {_EXAMPLE}")
    if "@" in url:
        _, _, where = url.rpartition("@")
        raise ConfigError(
            f"the base URL of {where.partition('/')[0]} has a user or a password in it, which journals would show; "
            f"leave it out, and set the key in {key}"
        )
    parts, port = _parts(url)
    if parts.query:
        raise ConfigError(
            f"the base URL of {parts.hostname} has a query in it, which journals would show; leave it out, and set the "
            f"key in {key}"
        )
    host = parts.hostname or ""
    where = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{where}{port}{parts.path.rstrip('/')}"


def _parts(url: str) -> tuple[SplitResult, str]:
    """The parts of the URL, and its port with the colon, if it has one."""
    try:
        parts = urlsplit(url)
        port = "" if parts.port is None else f":{parts.port}"
    except ValueError:
        raise ConfigError(f"the base URL is none: its host or its port cannot be read; {_EXAMPLE}") from None
    if not parts.hostname:
        raise ConfigError(f"the base URL is none: it names no host; {_EXAMPLE}")
    return parts, port


def plain_key(key: str | None, variable: str = API_KEY) -> str | None:
    """The key as it is; ``variable`` is the environment variable that it comes from.

    Raises:
        ConfigError: no HTTP header can carry it; the text does not repeat it.
    """
    if not key or (key.isascii() and key.isprintable() and " " not in key):
        return key
    odd = next(char for char in key if not "!" <= char <= "~")
    what = "a line end" if odd in "\r\n" else "a space" if odd == " " else f"the character U+{ord(odd):04X}"
    raise ConfigError(
        f"the API key has {what} in it, which no request can carry; copy it anew, without what stands around it, into "
        f"{variable}"
    )


def unsecret(text: str) -> str:
    """The text for an error: what stands before an ``@``, as a user and a password do, blotted out."""
    return f"***@{text.rpartition('@')[2]}" if "@" in text else text
