"""Levels for others: JSON lines, Parquet, a dataset folder with its card and Croissant metadata; and back."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import catalogues
import levels
import pyarrow.parquet as pq
import pytest
from ruamel.yaml import YAML

from lpb_gen.games import GAMES
from lpb_gen.pipeline.columns import COLUMNS, FIGURE_NAMES, level_of, row
from lpb_gen.pipeline.croissant import CONFORMS_TO, TYPES, licence_url
from lpb_gen.pipeline.level import Level, read_level
from lpb_gen.pipeline.parquet import read_parquet
from lpb_gen.pipeline.snapshot import load
from lpb_gen.pipeline.tiers import all_figures
from lpb_gen.runners.view import Objective
from lpb_gen.verifiers.certificate import FIGURES

Run = Callable[..., subprocess.CompletedProcess[str]]
HF = ("export", "--snapshot", "catalogue", "--format", "hf", "--url", "https://example.org/levels")
SAID = ("--creator", "A Maintainer", "--date", "2026-12-01")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A snapshot of five mazes in two tiers and one Rush Hour level, outside any repository."""
    rush = levels.level("..BBBC/.....C/.AA..C/....../..x.../......", "easy", GAMES["rush"])
    levels.write_catalogue(tmp_path / "catalogue", (*levels.objectives(), Objective("rush", "easy", (rush,))))
    return tmp_path


def of(folder: Path) -> list[Level]:
    cells = load("catalogue", folder).cells
    return [level for cell in sorted(cells) for level in cells[cell]]


def written(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def must(run: Run, *words: str) -> str:
    done = run(*words)
    assert done.returncode == 0, done.stderr
    return done.stdout


# --- rows -------------------------------------------------------------------------------------------------------------


def test_every_figure_has_a_column_of_its_own() -> None:
    names = [column.name for column in COLUMNS]
    assert len(set(names)) == len(names)
    outer = {name.partition(".")[0] for name in FIGURE_NAMES}
    assert outer == {*FIGURES, *all_figures()}
    assert {name.replace(".", "_") for name in FIGURE_NAMES} < set(names)


def test_a_level_comes_back_from_its_row() -> None:
    level = levels.objectives()[0].levels[0]
    figures = {"optimal_length": 3, "trap_latency": {"max": 4, "mean": 1.5}, "greedy_outcome": None, "of_my_own": 7}
    whole = Level(**{**{f: getattr(level, f) for f in level.__dataclass_fields__}, "figures": figures})
    values = row(whole, 1, "Apache-2.0")
    assert (values["trap_latency_max"], values["trap_latency_mean"], values["greedy_outcome_result"]) == (4, 1.5, None)
    assert [*values] == [column.name for column in COLUMNS]
    assert level_of(json.loads(json.dumps(values))) == whole


def test_an_imported_level_has_its_own_licence() -> None:
    level = levels.objectives()[0].levels[0]
    assert row(level, 1, "Apache-2.0")["licence"] == "Apache-2.0"
    for stated, said in (("MIT", "MIT"), ("", "unknown")):
        origin = {"imported_by": "lpb-gen 0.1.0", "licence": stated}
        brought = Level(**{**{f: getattr(level, f) for f in level.__dataclass_fields__}, "provenance": origin})
        assert row(brought, 1, "Apache-2.0")["licence"] == said


# --- files ------------------------------------------------------------------------------------------------------------


def test_json_lines_are_the_snapshots_own_and_read_back(lpb_gen: Run, folder: Path) -> None:
    printed = must(lpb_gen, "export", "--snapshot", "catalogue", "--format", "jsonl", "--out", "levels.jsonl")
    assert printed.startswith("levels.jsonl: 6 levels, ")
    lines = (folder / "levels.jsonl").read_text().splitlines()
    assert [read_level(line) for line in lines] == of(folder)
    assert must(lpb_gen, "export", "--snapshot", "catalogue", "--format", "jsonl", "--out", "-").splitlines() == lines


def test_a_parquet_file_reads_back_and_has_a_column_for_every_figure(lpb_gen: Run, folder: Path) -> None:
    words = ("export", "--snapshot", "catalogue", "--format", "parquet", "--json", "--out")
    told = json.loads(must(lpb_gen, *words, "levels.parquet"))
    path = folder / "levels.parquet"
    assert told["levels"] == 6
    assert told["bytes"] == path.stat().st_size
    assert list(read_parquet(path)) == of(folder)
    table = pq.read_table(path)
    kinds = {"string": "string", "integer": "int64", "float": "double"}
    assert [(f.name, str(f.type)) for f in table.schema] == [(c.name, kinds[c.kind]) for c in COLUMNS]
    assert table["optimal_length"].to_pylist() == [level.certificate.lower for level in of(folder)]
    assert table["deception"].null_count == 6
    assert json.loads(table.schema.metadata[b"lpb_gen"])["digest"] == load("catalogue", folder).pin.digest
    must(lpb_gen, *words, "again.parquet")
    assert (folder / "again.parquet").read_bytes() == path.read_bytes()


def test_a_part_of_a_snapshot(lpb_gen: Run, folder: Path) -> None:
    words = ("export", "--snapshot", "catalogue", "--format", "jsonl", "--out", "-")
    for more, number in ((("--game", "maze"), 5), (("--tier", "easy"), 4), (("--game", "maze", "--tier", "hard"), 2)):
        assert len(must(lpb_gen, *words, *more).splitlines()) == number


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("jsonl", "--out", "-", "--game", "chess"), "no such levels in this snapshot; its cells are maze-easy"),
        (("jsonl", "--out", "-", "--game", "maze", "--tier", "odd"), "maze has no tier 'odd'; use easy, hard"),
        (("jsonl", "--out", "catalogue"), "catalogue: this is a folder; name a file: --out FILE"),
        (("hf", "--out", "-"), "a folder cannot be written to standard output"),
        (("hf", "--out", "new"), "states its url and creator and date, which this snapshot does not say; add --url"),
        (("hf", "--out", "new", "--url", "my page", *SAID), "--url: 'my page' is not a web address"),
        (("hf", "--out", "new", "--url", "https://e.org", *SAID[:3], "2026-13-01"), "'2026-13-01' is not a date"),
        (
            ("hf", "--out", "catalogue", "--url", "https://e.org", *SAID),
            "is not overwritten: it holds levels",
        ),
    ],
)
def test_what_cannot_be_written_is_one_line(lpb_gen: Run, folder: Path, words: tuple[str, ...], says: str) -> None:
    before = written(folder)
    done = lpb_gen("export", "--snapshot", "catalogue", "--format", *words)
    assert done.returncode == 1
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert written(folder) == before


def test_without_pyarrow_the_command_that_installs_it_is_told(folder: Path) -> None:
    program = """
import sys
sys.modules["pyarrow"] = None
sys.argv = ["lpb-gen", "export", "--snapshot", "catalogue", "--format", sys.argv[1], "--out", "new"]
from lpb_gen.pipeline.cli import main
main()
"""
    for format_ in ("parquet", "hf"):
        command = [sys.executable, "-c", program, format_]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 1
        fix = "run: pip install 'lpb-gen[parquet]'"
        assert done.stderr == f"lpb-gen: --format {format_}: pyarrow is not installed; {fix}\n"
    command = [sys.executable, "-c", program, "jsonl"]
    assert subprocess.run(command, cwd=folder, capture_output=True).returncode == 0, "JSON lines need no more"


# --- the dataset folder -----------------------------------------------------------------------------------------------


@pytest.fixture
def dataset(lpb_gen: Run, folder: Path) -> Path:
    must(lpb_gen, *HF, *SAID, "--out", "dataset")
    return folder / "dataset"


def header(dataset: Path) -> dict[str, Any]:
    _, text, _ = re.split(r"^---$", (dataset / "README.md").read_text(), maxsplit=2, flags=re.MULTILINE)
    return dict(YAML(typ="safe").load(text))


def test_a_dataset_folder_has_a_file_a_cell_and_the_same_bytes_again(lpb_gen: Run, dataset: Path) -> None:
    before = written(dataset)
    data = [f"data/{cell}.parquet" for cell in ("maze/easy", "maze/hard", "rush/easy")]
    assert set(before) == {"README.md", "croissant.json", "export.json", "manifest.json", *data}
    assert [level for path in data for level in read_parquet(dataset / path)] == of(dataset.parent)
    must(lpb_gen, *HF, *SAID, "--out", "dataset")
    assert written(dataset) == before
    (dataset / ".git").mkdir()
    assert "it holds .git" in lpb_gen(*HF, *SAID, "--out", "dataset").stderr
    assert sorted(p.name for p in dataset.parent.iterdir()) == ["catalogue", "dataset"]


def test_the_card_has_a_configuration_for_every_cell_and_one_for_all(dataset: Path) -> None:
    said = header(dataset)
    assert said["size_categories"] == ["n<1K"]
    assert said["license"] == "unknown", "the test's manifest states none"
    files = {one["config_name"]: one["data_files"] for one in said["configs"]}
    assert files["maze-hard"] == [{"split": "test", "path": "data/maze/hard.parquet"}]
    assert list(files) == ["all", "maze-easy", "maze-hard", "rush-easy"]
    assert [one["config_name"] for one in said["configs"] if one.get("default")] == ["all"]
    (pattern,) = (one["path"] for one in files["all"])
    assert len(list(dataset.glob(pattern))) == 3
    text = (dataset / "README.md").read_text()
    assert "| `rush-easy` | Rush Hour | easy | 1 | 2 | unknown |" in text
    assert all(f"| `{column.name}` | {column.kind} |" in text for column in COLUMNS)


def test_croissant_has_what_its_specification_requires(dataset: Path) -> None:
    """The required properties of sections "Dataset-level information", "Resources" and "RecordSets" of version 1.0."""
    said = json.loads((dataset / "croissant.json").read_text())
    required = {"@context", "@type", "conformsTo", "description", "license", "name", "url", "creator", "datePublished"}
    assert required | {"distribution"} <= set(said)
    assert said["@type"] == "sc:Dataset"
    assert said["conformsTo"] == CONFORMS_TO
    assert said["datePublished"] == "2026-12-01"
    ids = [node["@id"] for node in (*said["distribution"], *said["recordSet"])]
    ids += [field["@id"] for records in said["recordSet"] for field in records["field"]]
    assert len(set(ids)) == len(ids)
    for file in said["distribution"]:
        data = (dataset / file["contentUrl"]).read_bytes()
        assert file["@type"] == "cr:FileObject"
        assert file["sha256"] == hashlib.sha256(data).hexdigest()
        assert file["contentSize"] == f"{len(data)} B"
        assert file["encodingFormat"] == "application/x-parquet"
    files = {file["@id"] for file in said["distribution"]}
    for records in said["recordSet"]:
        schema = pq.read_schema(dataset / records["field"][0]["source"]["fileObject"]["@id"])
        assert [field["source"]["extract"]["column"] for field in records["field"]] == schema.names
        assert all(field["source"]["fileObject"]["@id"] in files for field in records["field"])
        assert {field["dataType"] for field in records["field"]} <= {*TYPES.values()}
        assert records["key"]["@id"] in {field["@id"] for field in records["field"]}
    for term in ("recordSet", "field", "source", "extract", "column", "fileObject", "key"):
        assert said["@context"][term] == f"cr:{term}"


@pytest.mark.parametrize(
    ("licence", "url"),
    [
        ("Apache-2.0", "https://spdx.org/licenses/Apache-2.0.html"),
        ("MIT", "https://spdx.org/licenses/MIT.html"),
        ("unknown", "unknown"),
        ("all rights reserved", "all rights reserved"),
    ],
)
def test_a_licence_with_an_spdx_name_is_its_page(licence: str, url: str) -> None:
    assert licence_url(licence) == url


def test_a_repository_knows_the_day_and_the_author(tmp_path: Path) -> None:
    catalogue = catalogues.pinned(tmp_path / "catalogue")
    told = catalogue.fails("export", "--snapshot", "v1", "--format", "hf", "--out", "dataset")
    assert told == (
        "--format hf: a dataset states its url, which this snapshot does not say; "
        "add --url https://huggingface.co/datasets/me/levels"
    )
    catalogue.git("remote", "add", "origin", "https://example.org/me/levels.git")
    catalogue.must("export", "--snapshot", "v1", "--format", "hf", "--out", "dataset")
    said = json.loads((catalogue.root / "dataset" / "croissant.json").read_text())
    assert said["url"] == "https://example.org/me/levels"
    assert said["creator"]["name"] == "A Maintainer"
    assert said["datePublished"] == "2026-12-01"
    assert said["license"] == ["https://spdx.org/licenses/Apache-2.0.html"]
    assert said["name"] == "catalogue v1"
    assert said["citeAs"] == str(load("v1", catalogue.root).pin)
    assert header(catalogue.root / "dataset")["license"] == "apache-2.0"
