"""What a journal says that its run was made of, and which endpoints it may make a later run talk to.

Anybody can have written a journal, and it names endpoints and folders. So an endpoint that the journal alone names is
used only if the user names or allows it, and a key is sent only to endpoints that the user names.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from aeon.assembly.plugin import AnyPlugin
from aeon.assembly.roles import Cast
from aeon.errors import JournalError, UsageError
from aeon.llm.adapter import LLMAdapter
from aeon.llm.base_url import plain_url
from aeon.llm.extras import BODY, HEADERS
from aeon.llm.select import select
from aeon.llm.vendors import VENDORS, address_of
from aeon.runtime.journal import Journal
from aeon.runtime.lines import LEFT_OUT
from aeon.schema import JsonObject, Roles
from aeon.tools.files import Files
from aeon.tools.mcp.servers import Servers
from aeon.tools.mcp.specs import ServerSpec
from aeon.tools.select import ALLOW, FOLDER, MCP, SEARCH, Given, portable, values

__all__ = [
    "Reach",
    "Trust",
    "continued_on",
    "reach",
    "recorded_folders",
    "recorded_model",
    "recorded_roles",
    "recorded_tools",
    "setup_of",
    "updated",
]

_OWN = "@"
_OWN_SETTINGS = ("AEON_API_KEY", HEADERS, BODY, *(vendor.key for vendor in VENDORS.values()))
"""What goes to no endpoint that only a journal names: keys, and what the user adds to requests."""


class Reach(NamedTuple):
    """Where a journal alone would send a run: to the ``addresses``, with what is in the ``folders``.

    ``servers`` are MCP servers that it alone would start or speak to.
    """

    addresses: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    servers: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.addresses or self.servers)

    def refuse(self) -> None:
        """Refuse to send it there.

        Raises:
            UsageError: the journal alone would send it somewhere; says where, and what to do.
        """
        if self.servers:
            vouch = " ".join(f"--mcp {shlex.quote(server)}" for server in self.servers)
            raise UsageError(
                f"the journal alone says that the run uses the MCP server {' and '.join(self.servers)}; "
                f"if you mean that, add {vouch}, else name other tools with --tools"
            )
        if not self.addresses:
            return
        folders = f", with what is in {', '.join(self.folders)}," if self.folders else ""
        vouch = " ".join(f"--trust {address}" for address in self.addresses)
        raise UsageError(
            f"the journal alone says that the run{folders} goes to {' and '.join(self.addresses)}; "
            f"if you mean that, add {vouch}, else name another model with --model"
        )


@dataclass(frozen=True)
class Trust:
    """The endpoints that a saved run may use: those that the user ``named``, and ``allowed`` ones, which get no key.

    ``whole``: the journal is the user's own, and so is all that it names. ``there`` are models that need not be
    selected, by what a journal calls them.
    """

    named: frozenset[str] = frozenset()
    allowed: frozenset[str] = frozenset()
    whole: bool = False
    there: Mapping[str, LLMAdapter] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        journal: Journal,
        urls: Iterable[str] = (),
        environ: Mapping[str, str] | None = None,
        servers: Iterable[str] = (),
    ) -> Trust:
        """Trust in these addresses, in those that the environment names (default: the process's), and in MCP servers.

        Raises:
            ConfigError: one of them is no URL.
        """
        env = os.environ if environ is None else environ
        own = [env.get(name, "") for name in ("AEON_BASE_URL", "OPENAI_BASE_URL", "AEON_MODEL")]
        own += [vendor.address(env) for vendor in VENDORS.values() if env.get(vendor.key)]
        named = (*(plain_url(url.partition("#")[0]) for url in urls), *(address_of(one, env) for one in own))
        meant = (ServerSpec.read(server).text for server in servers)
        return cls(frozenset(filter(None, (*named, *meant))), whole=journal.authentic)

    def strangers(self, models: Iterable[str | None]) -> tuple[str, ...]:
        """The addresses of these models that the user has neither named nor allowed."""
        addresses = dict.fromkeys(address_of(model or "") for model in models)
        known = {"", *self.named, *self.allowed}
        return () if self.whole else tuple(one for one in addresses if one not in known)

    def naming(self, models: Iterable[str]) -> Trust:
        """The same, with the endpoints that the user names by these models."""
        return replace(self, named=self.named.union(filter(None, map(address_of, models))))

    def knows(self, address: str) -> bool:
        """Whether a run may search at this address: the journal is the user's own, or the user named it."""
        return self.whole or bool({address, address_of(address)} & (self.named | self.allowed))

    def select(self, model: str | None) -> LLMAdapter:
        """The model that a journal names; a key is sent only to an endpoint that the user named.

        Raises:
            UsageError: a stranger's endpoint, or a model that does not exist or cannot be used.
        """
        if model is not None and model in self.there:
            return self.there[model]
        Reach(self.strangers([model])).refuse()
        if self.whole or address_of(model or "") in ("", *self.named):
            return select(model)
        return select(model, environ={name: value for name, value in os.environ.items() if name not in _OWN_SETTINGS})


def reach(
    journal: Journal,
    plugin: AnyPlugin,
    trust: Trust,
    model_given: bool = False,
    tools_given: bool = False,
    roles_given: Collection[str] = (),
) -> Reach:
    """Where the journal would send its run, beyond the endpoints that are trusted.

    What it says of model, tools and roles does not count where the user gives others.

    Raises:
        JournalError: what it says of its model or its tools cannot be.
    """
    models = [] if model_given else [recorded_model(journal.setup)]
    config = journal.config(plugin.engine.config)
    roles = recorded_roles(journal.setup, config.roles).changed(**dict.fromkeys(roles_given, ""))
    addresses = trust.strangers([*models, *plugin.models(config), *roles.named.values()])
    specs = [] if tools_given else _specs(journal.setup)
    addresses += tuple(one for one in _services(specs) if not trust.knows(one))
    folders = tuple(values(specs, FOLDER))
    return Reach(addresses, folders if addresses else (), tuple(one for one in _servers(specs) if not trust.knows(one)))


def _servers(specs: Iterable[str]) -> dict[str, None]:
    """The MCP servers among some tools."""
    return dict.fromkeys(values(specs, MCP))


def _services(specs: Iterable[str]) -> dict[str, None]:
    """The addresses of the searches among some tools, and those of the own network that they may fetch from."""
    services = (service for one in values(specs, SEARCH) if "://" in (service := one.partition("=")[2]))
    return dict.fromkeys([*services, *(one if "://" in one else f"http://{one}" for one in values(specs, ALLOW))])


def recorded_model(setup: JsonObject) -> str | None:
    """What the run's model was selected by; ``None`` where an adapter was given or nothing was said.

    Raises:
        JournalError: it is no text.
    """
    model = setup.get("model")
    if model is None or isinstance(model, str):
        return model
    raise JournalError(f"the journal's setup names no model: model is {model!r}; name one with --model")


def recorded_roles(setup: JsonObject, configured: Roles) -> Roles:
    """The models that the roles of a run had: as ``configured``, unless it was resumed with others.

    Raises:
        JournalError: they are no texts.
    """
    entries = setup.get("roles", {})
    if not isinstance(entries, dict):
        raise JournalError("the journal's setup names no roles: roles is no table; fork the run and set them")
    used: dict[str, str] = {}
    for role in Roles.model_fields:
        entry, own = entries.get(role), getattr(configured, role)
        model = entry.get("model") if isinstance(entry, dict) and entry.get("configured") == own else own
        if not isinstance(model, str):
            raise JournalError(f"the journal's setup names no model for the {role}; name one with --roles {role}=MODEL")
        used[role] = model
    return configured.changed(**used)


def recorded_tools(setup: JsonObject) -> list[str]:
    """The tools that a run had, by their specifications, from the setup in its journal.

    Raises:
        UsageError: some were the caller's own objects, which no journal holds.
        JournalError: they are no list of texts.
    """
    specs = _specs(setup)
    own = [spec.removeprefix(_OWN) for spec in specs if spec.startswith(_OWN)]
    if own:
        raise UsageError(f"the run had tools of the caller's own: {', '.join(own)}; pass all its tools again")
    return specs


def recorded_folders(setup: JsonObject) -> tuple[str, ...]:
    """The folders that a run had among its tools. Raises as `recorded_tools` for what is no list of texts."""
    return tuple(values(_specs(setup), FOLDER))


def _specs(setup: JsonObject) -> list[str]:
    listed = setup.get("tools", [])
    if isinstance(listed, list) and all(isinstance(spec, str) for spec in listed):
        return [str(spec) for spec in listed]
    raise JournalError("the journal's setup names no tools: tools is no list of texts; name them with --tools")


def continued_on(
    trust: Trust, setup: JsonObject, llm: LLMAdapter | str | None, spec: str | None
) -> tuple[LLMAdapter, str | None]:
    """The model that a run is continued on, ``llm`` or else the one of its ``setup``, and what selected it."""
    if llm is None:
        spec = recorded_model(setup)
        return trust.select(spec), spec
    return select(llm), llm if isinstance(llm, str) else spec


def setup_of(
    adapter: LLMAdapter,
    spec: str | None,
    tools: Iterable[Given],
    cast: Cast | None = None,
    read: Iterable[Given] | None = None,
) -> JsonObject:
    """What a journal keeps of the model, which ``spec`` selected, of the tools of a run and of the models of roles.

    Of folders that are opened also which of their files were not read; ``read`` has those that ``tools`` only names.
    """
    roles, tools = cast.setup() if cast is not None else {}, [*tools]
    setup: JsonObject = {"model": spec, "model_name": adapter.name, "tools": [*map(_named, tools)]}
    left_out = "; ".join(one.left_out for one in read or tools if isinstance(one, Files) and one.left_out)
    return setup | ({"roles": roles} if roles else {}) | ({LEFT_OUT: left_out} if left_out else {})


def updated(
    setup: JsonObject, adapter: LLMAdapter, spec: str | None, tools: Iterable[Given] | None, cast: Cast | None = None
) -> JsonObject:
    """The setup of a run that continues on this adapter, with other ``tools`` or another ``cast`` if there is one."""
    if not setup:
        return setup
    changed = dict(setup)
    if spec or adapter.name != setup.get("model_name"):
        changed |= {"model": spec, "model_name": adapter.name}
    if tools is not None and ",".join(named := [*map(_named, tools)]) != ",".join(_specs(setup)):
        changed["tools"] = [*named]
    roles = cast.setup() if cast is not None else {}
    return changed | ({"roles": roles} if roles else {})


def _named(tool: Given) -> str:
    return portable(tool) if isinstance(tool, str | Files | Servers) else f"{_OWN}{tool.name}"
