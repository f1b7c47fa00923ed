"""The database of durable runs: its address, its tables, and what goes wrong with it in one line."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa
from dbos import DBOS, DBOSClient, Serializer
from dbos._serialization import DBOSPortableJSON
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from aeon.errors import DatabaseAway, DatabaseFull, InputFileError, UsageError
from aeon.home import data_dir
from aeon.text import one_line

__all__ = ["APPLICATION", "JSON", "SCHEMA", "Address", "Database"]

APPLICATION = "aeon"
SCHEMA = "aeon"
JSON: Serializer = DBOSPortableJSON
"""What DBOS stores is JSON: its default, pickles, would run code of whoever can write to the database."""
_VERSION = 1
_FULL = ("disk is full", "disk I/O error", "No space left")
"""What SQLite and PostgreSQL say where nothing can be written."""
_FORMS = "write sqlite, sqlite:///FILE or postgresql://USER@HOST/NAME"


class Address(NamedTuple):
    """Where a database is: its ``url`` as SQLAlchemy writes it, and ``shown`` without a password."""

    url: str
    shown: str

    @classmethod
    def of(cls, text: str) -> Address:
        """The address that a user writes: ``sqlite`` is a file in Aeon's own folder.

        Raises:
            UsageError: it is none.
        """
        if text == "sqlite":
            text = f"sqlite:///{data_dir() / 'durable.sqlite'}"
        try:
            url = sa.make_url(text)
        except ArgumentError:
            raise UsageError(f"--durable: {one_line(text, 60)!r} is no address of a database; {_FORMS}") from None
        kind = url.drivername.partition("+")[0]
        if kind not in ("sqlite", "postgresql", "postgres") or not url.database or url.database == ":memory:":
            shown = url.render_as_string(hide_password=True)
            raise UsageError(f"--durable: {one_line(shown, 60)!r} names no database that can be used; {_FORMS}")
        if kind == "sqlite":
            url = sa.make_url(f"sqlite:///{Path(url.database).expanduser().absolute()}")
        else:
            url = url.set(drivername="postgresql")
        return cls(url.render_as_string(hide_password=False), url.render_as_string(hide_password=True))

    @property
    def file(self) -> Path | None:
        """The file of an SQLite database."""
        database = sa.make_url(self.url).database
        return Path(database or "") if self.url.startswith("sqlite") else None


class Database:
    """The database at an address. ``client`` asks DBOS, ``engine`` reaches Aeon's own tables.

    What is written by ``quick`` is there for everybody at once, but a power cut may lose it.
    ``create``: tables that are not there are made, and those of an older version brought up to date.

    Raises:
        InputFileError: it cannot be reached or used, or its tables are missing or of another version.
    """

    def __init__(self, address: Address, create: bool = False) -> None:
        logging.getLogger("dbos").setLevel(logging.CRITICAL)
        self.address = address
        self.tables = tables = sa.MetaData(schema=None if address.file else SCHEMA)
        self._about = sa.Table("aeon_about", tables, sa.Column("version", sa.Integer, primary_key=True))
        self.workers = sa.Table(
            "aeon_workers", tables, sa.Column("name", sa.Text, primary_key=True),
            sa.Column("beat", sa.Integer, nullable=False), sa.Column("queues", sa.JSON, nullable=False),
        )  # fmt: skip
        self.slots = sa.Table(
            "aeon_slots", tables, sa.Column("model", sa.Text, primary_key=True),
            sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
            sa.Column("run", sa.Text, nullable=False), sa.Column("worker", sa.Text, nullable=False),
        )  # fmt: skip
        self.limits = sa.Table(
            "aeon_limits", tables, sa.Column("owner", sa.Text, primary_key=True),
            sa.Column("runs", sa.Integer, nullable=False),
        )  # fmt: skip
        self.calls = sa.Table("aeon_calls", tables, *_calls())
        self.attempts = sa.Table(
            "aeon_attempts", tables, sa.Column("run", sa.Text, primary_key=True),
            sa.Column("worker", sa.Text, nullable=False), sa.Column("deaths", sa.Integer, nullable=False),
            sa.Column("alone", sa.Integer, nullable=False), sa.Column("outcomes", sa.Integer, nullable=False),
        )  # fmt: skip
        self.workflows = _workflows(tables.schema)
        self.owners = sa.Table("aeon_owners", tables, sa.Column("name", sa.Text, primary_key=True))
        self.accepted = sa.Table("aeon_accepted", tables, *_accepted(), sa.UniqueConstraint("owner", "key"))
        with self.reached():
            if create:
                _prepare(address)
            elif address.file and not address.file.exists():
                raise InputFileError(f"{address.shown}: is not there; aeon submit and aeon worker make it")
            self.engine = sa.create_engine(_driven(address), pool_pre_ping=True, **_waiting(address))
            self.quick = _quick(address)
            try:
                if create:
                    tables.create_all(self.engine)
                self._check(create)
                self.client = _client(address, False)
            except BaseException:
                self.engine.dispose()
                raise

    @contextlib.contextmanager
    def reached(self) -> Iterator[None]:
        """Make one line of what goes wrong with the database while it is entered.

        Raises:
            DatabaseFull: its disk takes no more.
            DatabaseAway: it cannot be reached or used.
        """
        try:
            yield
        except (SQLAlchemyError, OSError) as error:
            cause = getattr(error, "orig", None) or error
            first = next((line for line in str(cause).splitlines() if line.strip()), type(cause).__name__)
            kind = DatabaseFull if any(words in first for words in _FULL) else DatabaseAway
            raise kind(f"{self.address.shown}: cannot be used: {one_line(first, 200)}") from None

    def patient(self) -> DBOSClient:
        """Another client: while the database is away, it waits instead of raising."""
        return _client(self.address, True)

    def close(self) -> None:
        """Let go of the database."""
        self.client.destroy()
        self.engine.dispose()
        self.quick.dispose()

    def _check(self, create: bool) -> None:
        """Refuse tables that are missing or of another version."""
        with self.engine.begin() as connection:
            names = sa.inspect(connection).get_table_names(schema=self._about.schema)
            version = connection.execute(sa.select(self._about.c.version)).scalar() if "aeon_about" in names else None
            if version is None and create:
                connection.execute(self._about.insert().values(version=_VERSION))
                version = _VERSION
        if version is None:
            raise InputFileError(f"{self.address.shown}: holds no runs of Aeon; aeon submit makes its tables")
        if version != _VERSION:
            what = "a newer Aeon made them: update this one" if version > _VERSION else "use the Aeon that made them"
            raise InputFileError(f"{self.address.shown}: its tables are of version {version}, not {_VERSION}; {what}")


def _calls() -> list[sa.Column[Any]]:
    """What is kept of the model calls of runs."""
    whole = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    return [
        sa.Column("seq", whole, primary_key=True), sa.Column("run", sa.Text, nullable=False, index=True),
        sa.Column("number", sa.Integer, nullable=False), sa.Column("call", sa.Text, nullable=False),
    ]  # fmt: skip


def _workflows(schema: str | None) -> sa.TableClause:
    """What of the table of DBOS is asked here: it has no call for it within a transaction."""
    names = ("workflow_uuid", "status", "queue_name", "queue_partition_key", "priority", "created_at", "owner_xid")
    columns = [*map(sa.column, names), sa.column("attributes", sa.JSON)]
    return sa.table("workflow_status", *columns, schema=schema)


def _accepted() -> list[sa.Column[Any]]:
    """What a service keeps of each run that it accepted, beside the run itself."""
    text, whole = sa.Text, sa.BigInteger().with_variant(sa.Integer, "sqlite")
    return [
        sa.Column("seq", whole, primary_key=True), sa.Column("id", text, nullable=False, unique=True),
        sa.Column("owner", text, nullable=False), sa.Column("engine", text, nullable=False),
        sa.Column("request", sa.JSON, nullable=False), sa.Column("key", text),
        sa.Column("digest", text, nullable=False), sa.Column("parent", text), sa.Column("about", sa.JSON),
        sa.Column("calls", whole, nullable=False), sa.Column("settled", sa.Boolean, nullable=False),
        sa.Column("created", text, nullable=False),
    ]  # fmt: skip


def _client(address: Address, patient: bool) -> DBOSClient:
    return DBOSClient(
        system_database_url=address.url, dbos_system_schema=SCHEMA, serializer=JSON, application_name=APPLICATION,
        retry_connection_errors=patient,
    )  # fmt: skip


def _driven(address: Address) -> sa.URL:
    """The URL with the driver that DBOS uses, too."""
    url = sa.make_url(address.url)
    return url if address.file else url.set(drivername="postgresql+psycopg")


def _waiting(address: Address) -> dict[str, Any]:
    """How long to wait for a lock on a file, and for a server that does not answer."""
    return {"connect_args": {"timeout": 30} if address.file else {"connect_timeout": 10}}


def _quick(address: Address) -> sa.Engine:
    engine = sa.create_engine(_driven(address), pool_pre_ping=True, **_waiting(address))

    @sa.event.listens_for(engine, "connect")
    def relax(connection: Any, _: object) -> None:  # noqa: ANN401 - of a driver
        with contextlib.closing(connection.cursor()) as cursor:
            cursor.execute("PRAGMA synchronous=NORMAL" if address.file else "SET synchronous_commit TO off")
        connection.commit()

    return engine


def _prepare(address: Address) -> None:
    """Make the tables of DBOS, or bring them up to date; a file gets a log that is written ahead, synced on commit."""
    if address.file:
        address.file.parent.mkdir(parents=True, exist_ok=True)
        engine = sa.create_engine(address.url)
        with engine.connect() as connection:
            connection.execute(sa.text("PRAGMA journal_mode=WAL"))
        engine.dispose()
    else:
        engine = sa.create_engine(_driven(address), **_waiting(address))
        try:
            engine.connect().close()  # DBOS would try a server that is not there for minutes
        finally:
            engine.dispose()
    DBOS.migrate(address.url, schema=SCHEMA)
