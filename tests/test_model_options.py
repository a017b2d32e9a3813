"""The options of the agents that ask a model, their keys, and their prices."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_models import KEY

from lpb_gen.games.base import LpbError
from lpb_gen.runners.agents import agent_from, anthropic, openai
from lpb_gen.runners.agents.base import Agent
from lpb_gen.runners.agents.model_settings import InvalidOption
from lpb_gen.runners.agents.prices import InvalidPrices, price_of, read_prices
from lpb_gen.runners.agents.replies import Tokens

DOCS = Path(__file__).parents[1] / "docs" / "agents.md"
SERVICES: dict[str, Callable[..., Agent]] = {"openai": openai.make, "anthropic": anthropic.make}


def make(service: str, model: str = "gpt-5.4", environ: dict[str, str] | None = None, **options: str) -> Agent:
    keys = {openai.KEY: KEY, anthropic.KEY: KEY}
    return SERVICES[service](model, options, environ=keys if environ is None else environ)


# --- keys -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("service", SERVICES)
def test_without_a_key_in_the_environment_there_is_no_agent(service: str) -> None:
    with pytest.raises(LpbError, match=rf"^{service.upper()}_API_KEY: .* is not in the environment; export") as error:
        make(service, environ={})
    assert "\n" not in str(error.value)


def test_blanks_around_a_key_do_not_matter_but_inside_they_do() -> None:
    make("openai", environ={openai.KEY: f" {KEY}\n"})
    with pytest.raises(LpbError) as error:
        make("openai", environ={openai.KEY: f"{KEY}\n{KEY}"})
    assert KEY not in str(error.value)


@pytest.mark.parametrize("service", SERVICES)
def test_the_description_says_all_but_the_key(service: str) -> None:
    told = make(service, model="gpt-5.4", images="7", base_url="http://127.0.0.1:8000/v1").describe()
    assert KEY not in repr(told)
    assert told["name"] == f"{service}:gpt-5.4"
    assert (told["settings"]["images"], told["settings"]["base_url"]) == (7, "http://127.0.0.1:8000/v1")
    assert told["settings"]["system"].startswith("You act on a screen")
    assert told["library"].startswith(f"{service} ")
    assert told["price"]["usd_per_million"]["input"] == 2.5


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize("environ", [None, {}])
def test_a_model_needs_a_name_before_it_needs_a_key(service: str, environ: dict[str, str] | None) -> None:
    with pytest.raises(LpbError, match=f"the model has no name; write --agent {service}:MODEL"):
        make(service, model="", environ=environ)


@pytest.mark.parametrize("spec", ["openai:gpt-5.4", "anthropic:claude-opus-5-5"])
def test_the_word_of_the_command_line_leads_here(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(openai.KEY, KEY)
    monkeypatch.setenv(anthropic.KEY, KEY)
    made = agent_from(spec, {"images": "3"}, game="maze", tier="easy", seed=0)
    assert isinstance(made, Agent)
    assert (made.name, made.describe()["settings"]["images"]) == (spec, 3)
    made.close()


# --- options ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("service", "options", "message"),
    [
        ("openai", {"apo": "chat"}, "--agent-option apo: openai has no such option; use one of api, base_url,"),
        ("openai", {"thinking": "adaptive"}, "openai has no such option"),
        ("anthropic", {"api": "chat"}, "anthropic has no such option"),
        ("openai", {"api": "completions"}, "--agent-option api: 'completions' is not one of chat, responses"),
        ("openai", {"api": "chat", "tools": "computer"}, "'computer' is not one of gui"),
        ("anthropic", {"tools": "bash"}, "'bash' is not one of computer, computer_20251124,"),
        ("openai", {"history": "0"}, "'0' is not a whole number from 1 to 10000"),
        ("openai", {"images": "many"}, "'many' is not a whole number from 1 to 1000"),
        ("openai", {"images": "1e3"}, "is not a whole number"),
        ("openai", {"images": "²"}, "is not a whole number"),
        ("openai", {"images": "9" * 999}, "is not a whole number"),
        ("openai", {"images": "9" * 5000}, "--agent-option images: it is too long"),
        ("openai", {"temperature": "nan"}, "'nan' is not a number from 0 to 2"),
        ("openai", {"temperature": "hot"}, "'hot' is not a number from 0 to 2"),
        ("openai", {"timeout": "0"}, "is not a number from 1 to 3600"),
        ("openai", {"stream": "perhaps"}, "'perhaps' is neither yes nor no"),
        ("openai", {"base_url": "localhost:8000"}, "is not an http address"),
        (
            "openai",
            {"base_url": "http://me:secret@host/v1?key=secret"},
            "'http://host/v1' is all that is allowed of it",
        ),
        ("openai", {"prices": "/no/such/file"}, "there is no file /no/such/file"),
        ("openai", {"system": "/no/such/file"}, "there is no file /no/such/file"),
        ("openai", {"reasoning_effort": "enormous"}, "is not one of none, minimal, low,"),
        ("anthropic", {"reasoning_effort": "minimal"}, "is not one of low, medium,"),
        ("anthropic", {"thinking": "100"}, "nor a budget of 1024 tokens or more"),
        ("anthropic", {"thinking": "9000"}, "it is not below max_tokens (8192)"),
    ],
)
def test_a_wrong_option_is_told_in_one_line(service: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidOption, match=re.escape(message)) as error:
        make(service, **options)
    assert "\n" not in str(error.value)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "does not have 1 to 20000 characters"), ("{height} {depth}", "no other braces"), ("}", "no other braces")],
)
def test_a_wrong_system_prompt_is_told(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "system.txt").write_text(text, "utf-8")
    with pytest.raises(InvalidOption, match=message):
        make("openai", system=str(tmp_path / "system.txt"))


def test_a_system_prompt_of_ones_own_is_in_the_description(tmp_path: Path) -> None:
    (tmp_path / "system.txt").write_text("Play on {width}x{height}. {{}}\n", "utf-8")
    assert (
        make("openai", system=str(tmp_path / "system.txt")).describe()["settings"]["system"]
        == "Play on {width}x{height}. {{}}"
    )


@pytest.mark.parametrize("service", SERVICES)
def test_every_option_is_documented(service: str) -> None:
    with pytest.raises(InvalidOption) as error:
        make(service, nonsense="1")
    names = str(error.value).rpartition("use one of ")[2].split(", ")
    assert len(names) > 10
    assert [name for name in names if f"`{name}`" not in DOCS.read_text("utf-8")] == []


def test_openai_is_asked_by_responses_and_other_servers_by_chat() -> None:
    """OpenAI's reasoning models refuse functions in Chat Completions."""
    address = "http://127.0.0.1:8000/v1"
    elsewhere = {openai.KEY: KEY, "OPENAI_BASE_URL": address}
    made = [
        make("openai"),
        make("openai", base_url=address),
        make("openai", environ=elsewhere),
        make("openai", api="chat"),
    ]
    assert [agent.describe()["settings"]["api"] for agent in made] == ["responses", "chat", "chat", "chat"]
    assert [agent.describe()["tool"] for agent in made] == ["computer", "gui", "gui", "gui"]


# --- prices -----------------------------------------------------------------------------------------------------------


def test_a_model_with_a_date_in_its_name_costs_what_the_model_costs() -> None:
    assert price_of("claude-haiku-4-5-20251001") == price_of("claude-haiku-4-5")
    assert price_of("gpt-5.4-2026-03-05") == price_of("gpt-5.4")
    assert price_of("gpt-5.4-something") is None


def test_every_price_that_comes_with_the_package_has_a_date() -> None:
    price = price_of("claude-opus-5-5")
    assert price is not None
    assert price.as_of == "2026-09-22"
    text = (Path(openai.__file__).parent / "prices.yaml").read_text("utf-8")
    prices = read_prices(text, "prices.yaml")
    assert [name for name, price in prices.items() if not price.as_of.startswith("2026-")] == []


def test_cached_tokens_and_written_ones_have_their_own_prices(tmp_path: Path) -> None:
    own = tmp_path / "mine.yaml"
    own.write_text("models: {local: {input: 1, cached: 0.5, cache_write: 2, output: 4}}", "utf-8")
    price = price_of("local", own)
    assert price is not None
    assert (
        price.usd(Tokens(input=1_000_000, cached=500_000, written=250_000, output=1_000_000)) == 0.25 + 0.25 + 0.5 + 4
    )


def test_ones_own_file_goes_before_the_one_that_comes_with_the_package(tmp_path: Path) -> None:
    own = tmp_path / "mine.yaml"
    own.write_text("models:\n  gpt-5.4: {input: 1, cached: 1, output: 1}\n", "utf-8")
    told: dict[str, Any] = make("openai", prices=str(own)).describe()
    assert told["price"]["usd_per_million"] == {"input": 1, "cached": 1, "cache_write": 1, "output": 1}
    assert told["settings"]["prices"] == "mine.yaml"
    assert price_of("gpt-5.4-mini", own) == price_of("gpt-5.4-mini")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "it is not YAML"),
        ("- 1", "it has no table `models`"),
        ("models: {a: {input: 1}}", "a: it takes input, cached, output"),
        ("models: {a: {input: 1, cached: 1, output: 1, free: 1}}", "a: it takes input, cached, output"),
        ("models: {a: {input: -1, cached: 1, output: 1}}", "a: input is not an amount of dollars: -1"),
        ("models: {a: {input: .nan, cached: 1, output: 1}}", "a: input is not an amount of dollars"),
        ("models: {a: {input: yes, cached: true, output: 1}}", "a: input is not an amount of dollars"),
    ],
)
def test_a_wrong_price_file_is_told_in_one_line(text: str, message: str, tmp_path: Path) -> None:
    own = tmp_path / "mine.yaml"
    own.write_text(text, "utf-8")
    with pytest.raises(InvalidPrices, match=re.escape(message)) as error:
        make("openai", prices=str(own))
    assert "\n" not in str(error.value)


def test_a_price_file_that_is_no_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidPrices, match="it cannot be read"):
        make("openai", prices=str(tmp_path / "mine.yaml"))
