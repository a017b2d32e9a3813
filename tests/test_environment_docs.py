"""What docs/gymnasium.md and docs/inspect.md show works as it stands there."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from stored import STORED

from lpb_gen.games import GAMES
from lpb_gen.runners.environments.code import Field
from lpb_gen.runners.environments.codes import CODES
from lpb_gen.runners.inspecting.task import objective

DOCS = Path(__file__).parents[1] / "docs"
GYMNASIUM, INSPECT = ((DOCS / name).read_text("utf-8") for name in ("gymnasium.md", "inspect.md"))


SAID = (r"(True|False) \d+", r"\(2, 225, 320, 3\)", "tiers")


def snippets(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page, re.DOTALL)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working folder with a catalogue."""
    shutil.copytree(STORED, tmp_path / "catalogue")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("number", range(len(snippets(GYMNASIUM))))
def test_the_snippets_on_environments_run(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    exec(snippets(GYMNASIUM)[number], {})
    assert re.fullmatch(SAID[number], capsys.readouterr().out.strip())


@pytest.mark.usefixtures("here")
@pytest.mark.filterwarnings("ignore:The 'initial' parameter:DeprecationWarning")
def test_the_snippets_on_inspect_run(capsys: pytest.CaptureFixture[str]) -> None:
    def answer(*_: Any) -> ModelOutput:
        output = ModelOutput.from_content("mockllm/model", "I give up.")
        output.usage = ModelUsage()
        return output

    without_a_service, with_one = snippets(INSPECT)
    exec(without_a_service, {})
    capsys.readouterr()
    exec(with_one, {"model": get_model("mockllm/model", custom_outputs=answer)})
    assert "{'OSR': 0.0, 'LC': 0.0, 'FGP': 0.0} runs/" in capsys.readouterr().out


@pytest.mark.parametrize("game", sorted(GAMES))
def test_every_array_and_size_is_on_the_page(game: str) -> None:
    arrays, moves = (line for line in GYMNASIUM.splitlines() if line.startswith(f"| {game} |"))
    sizes = dict.fromkeys(arrays.split("|")[3].strip().split(", "), 5)
    fields: dict[str, Field] = CODES[game].fields(sizes)
    assert set(re.findall(r"`(\w+)`", arrays)) == set(fields)
    assert moves.count("|") == 3


def test_every_argument_is_on_the_pages() -> None:
    import inspect

    from lpb_gen.runners.environments.environment import Environment

    for name in list(inspect.signature(Environment).parameters)[2:]:
        assert re.search(rf"`{name}[`=]|{name}=", GYMNASIUM), name
    for name in inspect.signature(objective).parameters:
        assert f"`{name}`" in INSPECT, name
    assert "LPB/Nut-Nightmare-v0" in gymnasium.registry
