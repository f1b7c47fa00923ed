"""Settings of any model: an engine's own configuration, and tables whose names are free, such as those of models."""

from __future__ import annotations

import enum
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from aeon.errors import ConfigError, UsageError
from aeon.schema.frozen import Frozen
from aeon.settings import assignments, flat, load, load_config, settings_of, toml, with_overrides

MINI, CODER = "gpt-4.1-mini", "qwen/qwen2.5-coder:1.5b"


class Price(Frozen):
    """What a model costs."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached: float | None = Field(None, ge=0)


class Pace(enum.Enum):
    """How fast a search goes."""

    FAST = "fast"
    SLOW = "slow"


class Limits(Frozen):
    """A section."""

    depth: int = Field(3, ge=1)
    sizes: tuple[int, ...] = (1, 2)


class Search(Frozen):
    """The configuration of an engine that has nothing in common with the one that ships."""

    rounds: int = 3
    limits: Limits = Limits()
    fallback: Limits | None = None
    pace: Pace = Pace.FAST
    folder: Path | None = None
    caps: dict[str, int] = Field({"look": 4, "read": 2})
    prices: dict[str, Price] = Field({})


def search(*texts: str, file: Path | None = None, environ: dict[str, str] | None = None) -> Search:
    return load_config(Search, file, assignments(Search, texts), environ)


@pytest.mark.requirement("O5")
def test_an_engines_own_model_is_set_from_everywhere(tmp_path: Path) -> None:
    """Flags go before variables before a file before the model's defaults, and the result is of that model."""
    (tmp_path / "search.toml").write_text("rounds = 5\npace = 'slow'\nlimits = {depth = 5, sizes = [5]}\n")
    environ = {"AEON_ROUNDS": "6", "AEON_LIMITS__DEPTH": "6"}
    loaded = load(Search, tmp_path / "search.toml", assignments(Search, ["rounds=7"]), environ)
    assert loaded.config == Search(rounds=7, limits=Limits(depth=6, sizes=(5,)), pace=Pace.SLOW)
    assert loaded.origins["rounds"] == "flag" and loaded.origins["limits.depth"] == "environment AEON_LIMITS__DEPTH"
    assert loaded.origins["pace"] == f"file {tmp_path / 'search.toml'}" and loaded.origins["folder"] == "default"
    assert list(settings_of(Search)) == [
        "rounds", "limits.depth", "limits.sizes", "fallback", "pace", "folder", "caps", "prices"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "config"),
    [
        ("pace=slow", Search(pace=Pace.SLOW)),
        ("folder=a b/c", Search(folder=Path("a b/c"))),
        ("folder=none", Search()),
        ("limits.sizes=4,5", Search(limits=Limits(sizes=(4, 5)))),
        ("limits.sizes=[4, 5]", Search(limits=Limits(sizes=(4, 5)))),
        ("fallback.depth=4", Search(fallback=Limits(depth=4))),
        ('fallback={"depth": 4}', Search(fallback=Limits(depth=4))),
        ("caps.look=9", Search(caps={"look": 9, "read": 2})),
    ],
)
def test_values_are_read_by_the_type_of_the_setting(text: str, config: Search) -> None:
    """Enumerations, paths, numbers in lists and sections that may be absent are all written as plain text."""
    assert search(text) == config


@pytest.mark.requirement("O5")
@pytest.mark.parametrize(
    "texts",
    [
        [f'prices={{"{MINI}": {{"input": 0.4, "output": 1.6}}}}'],
        [f'prices={{"{MINI}" = {{input = 0.4, output = 1.6}}}}'],
        [f'prices."{MINI}"={{"input": 0.4, "output": 1.6}}'],
        [f'prices."{MINI}".input=0.4', f"prices.'{MINI}'.output = 1.6"],
        [f'prices={{"{MINI}": {{"input": 9, "output": 1.6}}}}', f'prices."{MINI}".input=0.4'],
    ],
)
def test_a_table_of_names_is_set_by_flags(texts: list[str]) -> None:
    """The table is JSON or TOML, whole or by entry; a name with a dot stands in quotes in a path."""
    assert search(*texts).prices == {MINI: Price(input=0.4, output=1.6)}


@pytest.mark.requirement("O5")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("search.toml", f'[prices."{MINI}"]\ninput = 0.4\noutput = 1.6\n'),
        ("search.yaml", f"prices:\n  {MINI}:\n    input: 0.4\n    output: 1.6\n"),
    ],
)
def test_a_table_of_names_is_merged_entry_by_entry(tmp_path: Path, name: str, text: str) -> None:
    """A file, a variable and a flag each add to the table or change an entry, and each entry has its own origin."""
    (tmp_path / name).write_text(text)
    environ = {"AEON_PRICES": f'{{"{CODER}": {{"input": 0, "output": 0}}}}'}
    loaded = load(Search, tmp_path / name, assignments(Search, [f'prices."{MINI}".cached=0.1']), environ)
    assert loaded.config.prices == {MINI: Price(input=0.4, output=1.6, cached=0.1), CODER: Price(input=0, output=0)}
    assert [(path, value, loaded.origins[path]) for path, value in flat(loaded.config).items() if "prices" in path] == [
        (f'prices."{MINI}".input', 0.4, f"file {tmp_path / name}"),
        (f'prices."{MINI}".output', 1.6, f"file {tmp_path / name}"),
        (f'prices."{MINI}".cached', 0.1, "flag"),
        (f'prices."{CODER}".input', 0.0, "environment AEON_PRICES"),
        (f'prices."{CODER}".output', 0.0, "environment AEON_PRICES"),
        (f'prices."{CODER}".cached', None, "default"),
    ]


def test_an_entry_goes_over_a_configuration() -> None:
    """A configuration that is there already keeps its other entries."""
    config = search(f'prices={{"{MINI}": {{"input": 1, "output": 2}}}}')
    changed = with_overrides(config, assignments(Search, [f'prices."{CODER}"={{"input": 0, "output": 0}}']))
    assert changed.prices == {MINI: Price(input=1, output=2), CODER: Price(input=0, output=0)}


def test_what_is_shown_is_a_file_again(tmp_path: Path) -> None:
    """Every value by its path is a line of TOML, whatever the names in a table are."""
    config = search(f'prices={{"{CODER}": {{"input": 1, "output": 2}}, "a=\\"b\\"\\n": {{"input": 3, "output": 4}}}}')
    (tmp_path / "a.toml").write_text("\n".join(f"{path} = {toml(value)}" for path, value in flat(config).items()))
    assert load_config(Search, tmp_path / "a.toml", {}) == config.model_copy(update={"fallback": None})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            f"prices.{MINI}.input=0.4",
            f"prices.{MINI}: unknown setting; there are: input, output, cached; "
            f'a name with a dot stands in quotes: prices."{MINI}"',
        ),
        ("caps.v1.5=3", 'caps.v1.5: unknown setting; a name with a dot stands in quotes: caps."v1.5"'),
        (f'prices."{MINI}".inptu=1', f'prices."{MINI}".inptu: unknown setting; did you mean input?'),
        (f'prices."{MINI}".input=1', f'prices."{MINI}".output: has to be set; it has no default'),
        (f'prices={{"{MINI}": {{"input": -1, "output": 0}}}}', f'prices."{MINI}".input: should be greater than or'),
        ("prices=5", 'prices: should be a table, such as {"NAME": …}, not 5'),
        ("prices.a=5", "prices.a: should be a section with settings of its own, not 5"),
        ('prices={"a" 5}', "prices: is neither a TOML table on one line nor JSON: Expecting ':' delimiter"),
        ('prices={"a": {}, "a": {}}', "prices: is neither a TOML table on one line nor JSON: a stands there twice"),
        ('prices={"a": {"input": NaN, "output": 1}}', "prices.a.input: nan is not a value"),
        ("prices=" + '{"a": ' * 90_000, "prices: is n"),
        ("prices=" + '{"a": ' * 90 + "1" + "}" * 90, "is nested too deeply"),
        (f"rounds=1{'0' * 400}", "rounds: should be a valid number; it has too many digits"),
        ("pace=quick", "pace: should be 'fast' or 'slow', not 'quick'"),
        ("limits.sizes=1,x", "limits.sizes.1: should be a valid integer, not 'x'"),
    ],
)
def test_a_wrong_entry_is_named(text: str, words: str) -> None:
    """The error is one line with the path of the entry and what is wrong with it."""
    with pytest.raises(ConfigError) as caught:
        search(text)
    assert words in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({"AEON_PRICES": "{"}, "AEON_PRICES: prices: is neither a TOML table on one line nor JSON: "),
        ({"AEON_PRICES": '{"a": 5}'}, "AEON_PRICES: prices.a: should be a section"),
        ({"AEON_PRICES__GPT__INPUT": "5"}, "AEON_PRICES__GPT__INPUT: a variable cannot set one entry of prices; "),
        ({"AEON_FALLBACK__DEPTH": "5"}, "AEON_FALLBACK__DEPTH: a variable cannot set one entry of fallback; "),
        ({"AEON_FALLBACK__DEPHT": "5"}, "AEON_FALLBACK__DEPHT: fallback.depht: unknown setting; did you mean depth?"),
        ({"AEON_LIMITS__depth": "5"}, "AEON_LIMITS__depth: unknown variable; did you mean AEON_LIMITS__DEPTH?"),
        ({"AEON_LIMITS__SIZES": "1,x"}, "AEON_LIMITS__SIZES: limits.sizes.1: should be a valid integer"),
        ({"AEON_FOLDER": "\udcff"}, "AEON_FOLDER: folder: holds bytes that are not UTF-8 text"),
    ],
)
def test_a_wrong_variable_is_named(environ: dict[str, str], words: str) -> None:
    """The error begins with the variable, and says how a table is set."""
    with pytest.raises(ConfigError) as caught:
        search(environ=environ)
    assert str(caught.value).startswith(words) and "\n" not in str(caught.value)


class Source(Frozen):
    """A section with a section."""

    limits: Limits = Limits()


class TwoSources(Frozen):
    """Two sections that hold the same settings."""

    web: Source = Source()
    files: Source = Source()


def test_a_short_variable_that_could_be_two_settings_is_refused() -> None:
    """The outermost section may be left out only where one setting is meant; the error names them."""
    assert load_config(TwoSources, environ={"AEON_WEB__LIMITS__DEPTH": "5"}).web.limits.depth == 5
    with pytest.raises(ConfigError, match="did you mean AEON_WEB__LIMITS__DEPTH or AEON_FILES__LIMITS__DEPTH"):
        load_config(TwoSources, environ={"AEON_LIMITS__DEPTH": "5"})


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.toml", f"[prices.{MINI}]\ninput = 1\noutput = 2\n", f'in quotes: prices."{MINI}"'),
        ("a.toml", f'[prices."{MINI}"]\ninput = 1\n', f'prices."{MINI}".output: has to be set'),
        ("a.yaml", f"prices:\n  {MINI}: 1\n  {MINI}: 1\n", f'prices."{MINI}": line 3: it stands there twice'),
    ],
)
def test_a_wrong_entry_of_a_file_is_named(tmp_path: Path, name: str, text: str, words: str) -> None:
    """The error is one line with the file and the path of the entry."""
    (tmp_path / name).write_text(text)
    with pytest.raises(ConfigError) as caught:
        search(file=tmp_path / name)
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / name}: ") and words in message and "\n" not in message


@pytest.mark.parametrize("text", [f'prices."{MINI}.input=1', f"prices.'{MINI}.input=1", "rounds"])
def test_a_path_that_does_not_end_is_refused(text: str) -> None:
    """A quote without its end and a path without a value are refused, with an example."""
    with pytest.raises(UsageError, match="should look like rounds=VALUE"):
        search(text)


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_name_can_be_written_in_a_path(name: str) -> None:
    """A path that Aeon writes is one that it reads, whatever the name in it."""
    (path,) = (path for path in flat(Search().model_copy(update={"caps": {name: 1}})) if path.startswith("caps"))
    assert assignments(Search, [f"{path}=5"]) == {"caps": {name: 5}}
