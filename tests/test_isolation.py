"""The code setting: a program that attacks the runner from inside, beside the same program without isolation."""

from __future__ import annotations

import base64
import json
import os
import shlex
import socket
import subprocess
import sys
import tempfile
import types
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import levels
import numpy as np
import pytest
from test_command_agent import alive, episode, soon

from lpb_gen.runners.agents import class_host
from lpb_gen.runners.agents.base import Agent, Answer, Observation
from lpb_gen.runners.agents.lines import ProgramEnded
from lpb_gen.runners.agents.starting import UnusableProgram
from lpb_gen.runners.direct import DirectSurface
from lpb_gen.runners.failures import TechnicalFailure
from lpb_gen.runners.isolation import Isolation, IsolationImpossible, isolated_agent, isolation
from lpb_gen.runners.record import read_events
from lpb_gen.runners.session import Session

import programs
from programs import ask, begun, program, told

ROOT = Path(__file__).parents[1]
HERE = isolation("auto", search_path=os.environ["PATH"])
needs_bubblewrap = pytest.mark.skipif(HERE.tool is None, reason=HERE.reason)

ATTACK = """
import ctypes, platform, re, tempfile
target = json.loads(start["options"]["target"])
won = []
def attempt(name, work):
    try:
        if work():
            won.append(name)
    except Exception as error:
        print(name, type(error).__name__, error, file=sys.stderr)
def connect(family, address):
    with socket.socket(family) as s:
        s.settimeout(2)
        s.connect(address)
        return True
def processes():
    return [pid for pid in os.listdir("/proc") if pid.isdigit()]
def read_all(name):
    found = b""
    for pid in processes():
        try:
            found += open(f"/proc/{pid}/{name}", "rb").read()
        except OSError:
            pass
    return found
attempt("snapshot", lambda: os.listdir(target["snapshot"]))
attempt("record", lambda: os.listdir(target["record"]))
attempt("record through the runner", lambda: os.listdir(f"/proc/{target['pid']}/cwd/"))
attempt("package", lambda: os.listdir(os.path.join(target["package"], "runners")))
attempt("import", lambda: __import__("lpb_gen.games"))
attempt("home", lambda: os.listdir(target["home"]))
attempt("passwords", lambda: open("/etc/shadow").read())
attempt("runner's environment", lambda: target["secret"].encode() in read_all("environ"))
attempt("own environment", lambda: target["secret"] in os.environ.values())
attempt("runner's memory", lambda: open(f"/proc/{target['pid']}/mem", "rb"))
attempt("other processes", lambda: target["mark"].encode() in read_all("cmdline"))
attempt("signal", lambda: os.kill(target["pid"], 0) is None)
attempt("port", lambda: connect(socket.AF_INET, ("127.0.0.1", target["port"])))
attempt("list of ports", lambda: f":{target['port']:04X}" in open("/proc/net/tcp").read())
attempt("abstract socket", lambda: connect(socket.AF_UNIX, chr(0) + target["abstract"]))
attempt("socket", lambda: connect(socket.AF_UNIX, target["socket"]))
attempt("write", lambda: open(os.path.join(os.path.dirname(sys.argv[0]), "mine"), "w"))
attempt("write to the system", lambda: open("/usr/lib/lpb-test", "w") if os.access("/usr/lib", os.W_OK) else None)
attempt("descriptors", lambda: set(os.listdir("/proc/self/fd")) - {"0", "1", "2", "3"})
own = os.path.dirname(sys.argv[0])
kernel = ctypes.CDLL(None, use_errno=True)
def called(number):
    return number >= 0
attempt("rights", lambda: int(re.search("CapBnd:(.*)", open("/proc/self/status").read())[1], 16))
attempt("what hides a folder", lambda: called(kernel.umount2(os.path.join(own, "runs").encode(), 2)))
attempt("what was hidden", lambda: os.listdir(os.path.join(own, "runs")))
attempt("mount of its folder", lambda: called(kernel.mount(None, own.encode(), None, 32 | 4096, None)))
attempt("kernel's settings", lambda: called(os.open("/proc/sys/vm/swappiness", os.O_WRONLY)))
numbers = {"x86_64": (248, 250), "aarch64": (217, 219), "riscv64": (217, 219)}.get(platform.machine())
if numbers:
    for ring in (-3, -4, -5):  # of the session, the user, and the user's sessions
        key = b"user", f"lpb-{target['mark']}-{ring}".encode(), b"memory", 6, ring
        attempt("keyring", lambda: called(kernel.syscall(numbers[0], *key)))
        kernel.syscall(numbers[1], 15, kernel.syscall(numbers[0], *key), 30)  # where it could, it goes after 30 seconds
        attempt("key of an earlier episode", lambda: called(kernel.syscall(numbers[1], 10, ring, *key[:2], 0)))
attempt("trace of a key", lambda: target["mark"] in open("/proc/keys").read())
attempt("vsock", lambda: socket.socket(socket.AF_VSOCK))
attempt("io_uring", lambda: called(kernel.syscall(425, 1, ctypes.create_string_buffer(256))))
if kernel.unshare(0x10000000 | 0x20000) == 0:  # a user namespace with every right within it, and mounts of its own
    copy = tempfile.mkdtemp()
    attempt("what hides, from within", lambda: called(kernel.umount2(os.path.join(own, "runs").encode(), 2)))
    attempt("its folder, from within", lambda: called(kernel.mount(None, own.encode(), None, 32 | 4096, None)))
    attempt("its folder again", lambda: called(kernel.mount(own.encode(), copy.encode(), None, 4096, None)))
    kernel.mount(own.encode(), copy.encode(), None, 4096 | 16384, None)
    attempt("under what hides", lambda: called(kernel.umount2(os.path.join(copy, "runs").encode(), 2)))
    attempt("hidden in a copy", lambda: os.listdir(os.path.join(copy, "runs")))
    attempt("another /proc", lambda: called(kernel.mount(b"proc", copy.encode(), b"proc", 0, None)))
    attempt("kernel's settings, from within", lambda: called(kernel.umount2(b"/proc/sys", 2)))
see()
say(step="told", text=json.dumps(won))
"""
# what needs no isolation to fail: descriptors are never inherited, and the tests may not run as root
ALWAYS_OPEN = {"snapshot", "record", "package", "home", "other processes", "signal", "port", "list of ports", "socket"}
ALWAYS_OPEN |= {"abstract socket", "write", "runner's environment", "what was hidden"}


@pytest.fixture(scope="module")
def loot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, set[str]]]:
    """What the attacker got at, isolated and not."""
    folder = tmp_path_factory.mktemp("attack")
    levels.write_catalogue(folder / "snapshot", levels.objectives())
    secret, abstract = "sk-the-runners-own", f"lpb-{os.getpid()}-{folder.name}"
    path = program(folder, ATTACK)
    (path.parent / "runs" / "earlier").mkdir(parents=True)
    (path.parent / "runs" / "earlier" / "events.jsonl").touch()
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX) as hidden,
        socket.socket(socket.AF_UNIX) as named,
        tempfile.TemporaryDirectory(dir="/tmp") as short,
        pytest.MonkeyPatch.context() as patch,
        ExitStack() as stack,
    ):
        hidden.bind("\0" + abstract)
        named.bind(f"{short}/s")
        for listening in (hidden, named):
            listening.listen()
        patch.setenv("LPB_TEST_SECRET", secret)
        mark = f"{600 + os.getpid() / 1e6:.6f}"
        neighbour = stack.enter_context(subprocess.Popen(["sleep", mark]))
        stack.callback(neighbour.kill)
        got = {}
        for isolate in ("yes", "no"):
            target = {
                "snapshot": str(folder / "snapshot"),
                "record": str(folder / "runs"),
                "package": str(ROOT),
                "home": str(Path.home()),
                "secret": secret,
                "mark": mark,
                "pid": os.getpid(),
                "port": server.getsockname()[1],
                "abstract": abstract,
                "socket": f"{short}/s",
            }
            options = {"target": json.dumps(target), "isolate": isolate}
            agent = isolated_agent(f"command:python3 {path}", options, seed=0)
            (folder / "runs").mkdir(exist_ok=True)
            with begun(agent, folder / "runs" / isolate):
                got[isolate] = set(told(agent))
        yield got


@needs_bubblewrap
def test_an_isolated_program_gets_at_nothing(loot: dict[str, set[str]]) -> None:
    assert loot["yes"] == set()


@needs_bubblewrap
def test_without_isolation_the_same_program_gets_at_a_lot(loot: dict[str, set[str]]) -> None:
    assert loot["no"] >= ALWAYS_OPEN - {"runner's environment"}


# --- what it has ------------------------------------------------------------------------------------------------------


@needs_bubblewrap
def test_it_has_a_scratch_a_home_and_its_own_folder(tmp_path: Path) -> None:
    body = """
os.makedirs(os.environ["HOME"], exist_ok=True)
for place in ("/tmp/a", os.environ["HOME"] + "/b"):
    open(place, "w").write("x")
beside = open(os.path.join(os.path.dirname(sys.argv[0]), "weights.txt")).read()
see(); say(step="told", text=json.dumps([beside, os.getcwd(), sorted(os.environ), os.listdir("/tmp")]))
"""
    path = program(tmp_path, body)
    (path.parent / "weights.txt").write_text("0.5")
    for _ in range(2):  # what the first left behind is gone
        with begun(isolated_agent(f"command:python3 {path}", {}, seed=0)) as agent:
            beside, cwd, names, scratch = told(agent)
        assert (beside, cwd) == ("0.5", str(path.parent))
        assert {"HOME", "PATH", "TMPDIR"} <= set(names) <= {"HOME", "PATH", "TMPDIR", "LANG", "LC_CTYPE", "PWD"}
        assert "a" in scratch
    assert not Path("/tmp/a").exists()


@needs_bubblewrap
def test_no_child_outlives_it_even_in_a_session_of_its_own(tmp_path: Path) -> None:
    mark = f"lpb-escape-{os.getpid()}"
    body = f"""
import subprocess
subprocess.Popen(["sh", "-c", "sleep 300; echo {mark}"], start_new_session=True)
see(); say(step="on"); see(); say(step="off")
"""
    with begun(isolated_agent(f"command:python3 {program(tmp_path, body)}", {}, seed=0)) as agent:
        ask(agent)
        assert soon(lambda: bool(running(mark)))
    assert soon(lambda: not running(mark))


def running(mark: str) -> list[int]:
    """Shells whose command line has the mark."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[0] in (b"sh", b"sleep") and any(mark.encode() in word for word in words):
                found.append(int(folder.name))
    return [pid for pid in found if alive(pid)]


@needs_bubblewrap
def test_named_variables_get_in_and_their_values_not_onto_a_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_KEY", "sk-wanted")
    body = "see(); say(step='told', text=json.dumps(os.environ.get('MODEL_KEY')))"
    agent = isolated_agent(f"command:python3 {program(tmp_path, body)}", {"env": "MODEL_KEY"}, seed=0)
    with begun(agent):
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit():
                try:
                    assert b"sk-wanted" not in (folder / "cmdline").read_bytes()
                except OSError:
                    continue
        assert told(agent) == "sk-wanted"
    assert agent.describe()["environment"] == ["MODEL_KEY"]
    assert "sk-wanted" not in json.dumps(agent.describe())


@needs_bubblewrap
def test_the_network_is_shared_only_when_that_is_asked_for_and_the_manifest_says_so(tmp_path: Path) -> None:
    body = "see(); say(step='told', text=json.dumps(socket.create_connection(('127.0.0.1', %d), 2).fileno() >= 0))"
    with socket.create_server(("127.0.0.1", 0)) as server:
        path = program(tmp_path, body % server.getsockname()[1])
        agent = isolated_agent(f"command:python3 {path}", {"network": "yes"}, seed=0)
        with begun(agent):
            assert told(agent) is True
    assert agent.describe()["isolation"]["label"] == "isolated, network shared"


# --- what the manifest says, and what is refused ----------------------------------------------------------------------


def test_where_bubblewrap_is_missing_the_manifest_says_not_isolated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").symlink_to(sys.executable)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    path = program(tmp_path, "see(); say(answer='')")
    agent = isolated_agent(f"command:python3 {path}", {}, seed=0)
    with begun(agent):
        assert ask(agent).action == Answer("")
    assert agent.describe()["isolation"] == {
        "isolated": False,
        "label": "not isolated",
        "reason": "bubblewrap is not installed",
    }
    with pytest.raises(IsolationImpossible, match="bubblewrap is not installed"):
        isolated_agent(f"command:python3 {path}", {"isolate": "yes"}, seed=0)


def test_a_bubblewrap_that_does_not_work_is_as_good_as_none(tmp_path: Path) -> None:
    tool = tmp_path / "bwrap"
    tool.write_text("#!/bin/sh\necho 'No permissions to create new namespace' >&2; exit 1\n")
    tool.chmod(0o755)
    found = isolation("auto", search_path=str(tmp_path))
    assert found.tool is None
    assert "No permissions" in found.reason


@needs_bubblewrap
@pytest.mark.parametrize("beside", ["catalogue", "runs", ".git"])
def test_beside_a_catalogue_a_program_sees_only_itself(
    beside: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    body = "see(); say(step='told', text=json.dumps(os.listdir(os.path.dirname(sys.argv[0]))))"
    path = program(tmp_path, body)
    path = path.rename(tmp_path / "agent.py")
    (tmp_path / beside).mkdir()
    (tmp_path / "params.yaml").write_text("seed: 1")
    with begun(isolated_agent(f"command:python3 {path}", {}, seed=0)) as agent:
        assert told(agent) == ["agent.py"]
    with pytest.raises(UnusableProgram, match="must not see"):
        isolated_agent(f"command:python3 {path}", {"folder": str(tmp_path)}, seed=0)


@needs_bubblewrap
def test_runs_within_the_agents_folder_are_covered(tmp_path: Path) -> None:
    path = program(
        tmp_path, "see(); say(step='told', text=json.dumps(os.listdir(os.path.dirname(sys.argv[0]) + '/out')))"
    )
    out = path.parent / "out"
    out.mkdir()
    with begun(isolated_agent(f"command:python3 {path}", {}, seed=0), out / "run") as agent:
        assert told(agent) == []


PLACES = {  # what makes a folder one that agents must not see
    "repository": (".dvc/config", "catalogue/levels/maze-easy.jsonl"),
    "snapshot": ("manifest.json", "levels/maze-easy.jsonl"),
    "published": ("catalogue/manifest.json", "catalogue/levels/maze-easy.jsonl"),
    "store": ("files/md5/ab/cdef",),
    "record": ("events.jsonl", "screenshots/a.png"),
}


def place_of(kind: str, folder: Path) -> list[Path]:
    files = [folder / name for name in PLACES[kind]]
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("secret")
    return files


SEEN_BELOW = """
found = [os.path.join(where, name) for top in %r for where, _, names in os.walk(top) for name in names]
see(); say(step="told", text=json.dumps(sorted(found)))
"""


@needs_bubblewrap
@pytest.mark.parametrize("kind", PLACES)
def test_levels_and_records_are_known_wherever_they_lie(kind: str, tmp_path: Path) -> None:
    """The command is given elsewhere, and nothing names them."""
    place = tmp_path / "elsewhere"
    place_of(kind, place)
    path = program(tmp_path, SEEN_BELOW % [str(tmp_path)]).rename(place / "agent.py")
    with begun(isolated_agent(f"command:python3 {path}", {}, seed=0)) as agent:
        assert told(agent) == [str(path)]
    for option in ("folder", "mount"):
        with pytest.raises(UnusableProgram, match=r"must not see what is in it.*a folder of its own"):
            isolated_agent(f"command:python3 {path}", {option: str(place)}, seed=0)


@needs_bubblewrap
@pytest.mark.parametrize("kind", PLACES)
def test_what_lies_below_an_agents_folder_or_a_mount_is_covered(kind: str, tmp_path: Path) -> None:
    path = program(tmp_path, SEEN_BELOW % [str(tmp_path)])
    (path.parent / "weights.txt").touch()
    (tmp_path / "data" / "more").mkdir(parents=True)
    (tmp_path / "data" / "more" / "table.csv").touch()
    for place in (path.parent / "deep" / "down", tmp_path / "data" / "down"):
        place_of(kind, place)
    kept = [path, path.parent / "weights.txt", tmp_path / "data" / "more" / "table.csv"]
    for mount in (tmp_path / "data", tmp_path / "link"):
        with begun(isolated_agent(f"command:python3 {path}", {"mount": str(mount)}, seed=0)) as agent:
            found = told(agent)
        (tmp_path / "link").symlink_to(tmp_path / "data") if mount.name == "data" else None
        assert set(found) == {str(file).replace(f"{tmp_path}/data", str(mount)) for file in kept}


@needs_bubblewrap
@pytest.mark.parametrize(
    ("kind", "inside"),
    [
        ("repository", "catalogue/levels"),
        ("repository", ".dvc"),
        ("snapshot", "levels"),
        ("published", "catalogue"),
        ("store", "files/md5/ab"),
        ("record", "screenshots"),
    ],
)
def test_a_part_of_them_is_refused(kind: str, inside: str, tmp_path: Path) -> None:
    place_of(kind, tmp_path / "elsewhere")
    path = program(tmp_path, "see()")
    mount = tmp_path / "elsewhere" / inside
    with pytest.raises(UnusableProgram, match="must not see"):
        isolated_agent(f"command:python3 {path}", {"mount": str(mount)}, seed=0)
    (mount / "agent.py").write_text("")
    with pytest.raises(UnusableProgram, match="must not see"):
        isolated_agent(f"command:python3 {mount / 'agent.py'}", {}, seed=0)


@needs_bubblewrap
def test_a_folder_of_agents_beside_a_catalogues_levels_is_seen(tmp_path: Path) -> None:
    place_of("repository", tmp_path)
    path = program(tmp_path, SEEN_BELOW % [str(tmp_path)])
    with begun(isolated_agent(f"command:python3 {path}", {}, seed=0)) as agent:
        assert told(agent) == [str(path)]


@needs_bubblewrap
@pytest.mark.parametrize(
    "place", ["/", "/proc", "/proc/self", "/sys", "/dev", "/run", "/tmp", "/etc", "/home", "~", "~/.."]
)
def test_what_is_not_the_agents_own_is_never_mounted(place: str, tmp_path: Path) -> None:
    path = program(tmp_path, "see()")
    where = Path(place).expanduser()
    for option in ("mount", "folder"):
        if where.is_dir():
            with pytest.raises(UnusableProgram, match="a folder of its own"):
                isolated_agent(f"command:python3 {path}", {option: str(where)}, seed=0)


@needs_bubblewrap
@pytest.mark.skipif(not os.access("/usr/src", os.W_OK), reason="only root may write there")
def test_usr_src_is_no_part_of_the_system(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(dir="/usr/src") as name:
        app = Path(name)
        (app / "secret").touch()
        path = program(app, SEEN_BELOW % ["/usr/src"])
        with begun(isolated_agent(f"command:python3 {path}", {}, seed=0)) as agent:
            assert told(agent) == [str(path)]
        elsewhere = program(tmp_path, SEEN_BELOW % ["/usr/src"])
        with begun(isolated_agent(f"command:python3 {elsewhere}", {}, seed=0)) as agent:
            assert told(agent) == []


@needs_bubblewrap
@pytest.mark.skipif(not os.access("/usr/local/share", os.W_OK), reason="only root may write there")
def test_levels_below_usr_local_are_covered(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(dir="/usr/local/share") as name:
        place_of("published", Path(name))
        (Path(name) / "params.yaml").touch()
        path = program(tmp_path, SEEN_BELOW % [name])
        with begun(isolated_agent(f"command:python3 {path}", {}, seed=0)) as agent:
            assert told(agent) == []


@needs_bubblewrap
def test_an_agent_in_the_temporary_folder_sees_only_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret").touch()
    path = program(tmp_path, SEEN_BELOW % [str(tmp_path)]).rename(tmp_path / "agent.py")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with begun(isolated_agent(f"command:python3 {path}", {}, seed=0)) as agent:
        assert told(agent) == [str(path)]


@needs_bubblewrap
def test_a_program_without_a_file_of_its_own_runs_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    say = "import os; print(chr(123) + '\"step\": \"' + os.getcwd() + '\"' + chr(125), flush=True); input()"
    code = f"input(); input(); {say}"
    with begun(isolated_agent(f"command:python3 -c {shlex.quote(code)}", {}, seed=0)) as agent:
        assert ask(agent).text == "[/tmp/home]"


@needs_bubblewrap
def test_an_agent_among_the_runs_is_refused(tmp_path: Path) -> None:
    path = program(tmp_path, "see()")
    agent = isolated_agent(f"command:python3 {path}", {}, seed=0)
    with pytest.raises(TechnicalFailure, match="which agents must not see"), begun(agent, path.parent / "run"):
        pass


def test_the_package_itself_is_never_mounted() -> None:
    found = Isolation(tool="bwrap", mounts=(ROOT / "docs", ROOT), hidden=(ROOT / "runners", ROOT / "games"))
    words = found.wrap(["true"], Path("/"))
    for covered in ("runners", "games"):
        assert words[words.index(str(ROOT / covered)) - 1] == "--tmpfs"


@pytest.mark.parametrize("spec", ["oracle", "openai:gpt-x", "openai:gpt", "mine:"])
def test_an_agent_without_a_program_of_its_own_cannot_be_isolated(spec: str) -> None:
    with pytest.raises(IsolationImpossible, match="no program of its own"):
        isolated_agent(spec, {}, seed=0)


# --- classes ----------------------------------------------------------------------------------------------------------

CLASS = """
import json, sys
class Mine:
    def __init__(self, depth: int = 1, seed: int = 0, bold: bool = False):
        print("printed", flush=True)
        self.made = [depth, seed, bold]
    def initialize(self, instruction):
        self.made.append(instruction)
    def predict(self, observation):
        if observation.step == 0:
            return json.dumps([*self.made, len(observation.screenshot), observation.error]), None
        return "that is all", {"action": "answer", "text": "done"}
    def done(self):
        print("tidied up")
class Acting:
    def act(self, observation):
        return {"action": "press", "key": "ArrowUp"} if observation.step == 0 else 1 / 0
"""


@pytest.mark.parametrize("isolate", [pytest.param("yes", marks=needs_bubblewrap), "no"])
def test_a_class_is_hosted_in_a_process_of_its_own(isolate: str, tmp_path: Path) -> None:
    path = tmp_path / "own" / "mine.py"
    path.parent.mkdir()
    path.write_text(CLASS)
    agent = isolated_agent(f"{path}:Mine", {"depth": "7", "bold": "yes", "isolate": isolate}, seed=5)
    assert agent.name == "Mine"
    with begun(agent, tmp_path / "runs" / "1"):
        said = ask(agent)
        assert json.loads(said.text.removeprefix("[no action] ")) == [
            *[7, 5, True, "Complete all levels"],
            *[len(programs.PICTURE), None],
        ]
        assert (ask(agent, 1).action, said.action) == (Answer("done"), None)
    assert (tmp_path / "runs" / "1" / "agent-stderr.txt").read_text() == "printed\ntidied up\n"


@needs_bubblewrap
def test_a_python_that_is_not_seen_under_isolation_is_told_with_what_to_mount(tmp_path: Path) -> None:
    path = tmp_path / "own" / "mine.py"
    path.parent.mkdir()
    path.write_text(CLASS)
    base, own = tmp_path / "base" / "bin" / "python3", tmp_path / "venv" / "bin" / "python"
    for file in (base, own):
        file.parent.mkdir(parents=True)
    base.write_text("#!/bin/sh\n")
    base.chmod(0o755)
    own.symlink_to(base)
    options = {"python": str(own), "mount": str(tmp_path / "venv")}
    with pytest.raises(UnusableProgram) as caught:
        isolated_agent(f"{path}:Mine", options, seed=0)
    assert f"mount={tmp_path / 'base'} " in str(caught.value)
    isolated_agent(f"{path}:Mine", options | {"mount": f"{tmp_path / 'venv'},{tmp_path / 'base'}"}, seed=0)


def seen_by_a_class(picture: bytes) -> class_host.Observation:
    message = {"screenshot": base64.b64encode(picture).decode(), "step": 0, "seconds_left": 1.0, "error": None}
    return class_host.Observation(message)


@pytest.mark.parametrize("missing", ["numpy", "PIL"])
def test_pixels_of_a_hosted_class_say_what_they_need(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    if missing == "PIL":
        monkeypatch.setitem(sys.modules, "numpy", types.ModuleType("numpy"))
    with pytest.raises(ModuleNotFoundError) as caught:
        seen_by_a_class(programs.PICTURE).pixels()
    assert str(caught.value).startswith(
        f"pixels() needs NumPy and Pillow, and {sys.executable} has no module {missing!r}"
    )
    assert "python=PATH" in str(caught.value)


def test_pixels_of_a_hosted_class_are_those_of_the_native_setting() -> None:
    pytest.importorskip("PIL")
    picture = DirectSurface(Session(levels.objectives())).screenshot()
    ours = Observation(screenshot=picture, step=0, seconds_left=1.0).pixels()
    theirs = seen_by_a_class(picture).pixels()
    assert (theirs.dtype, theirs.shape) == (np.uint8, (900, 1280, 4))
    assert np.array_equal(theirs, ours)


def test_a_class_of_a_module_that_fails_says_where(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "mine.py").write_text(CLASS)
    agent = isolated_agent("mine:Acting", {"folder": str(tmp_path / "own")}, seed=0)
    with begun(agent, tmp_path / "runs" / "1"):
        assert ask(agent).action == {"action": "press", "key": "ArrowUp"}
        with pytest.raises(ProgramEnded, match="exited with status 1"):
            ask(agent, 1)
    log = (tmp_path / "runs" / "1" / "agent-stderr.txt").read_text()
    assert "ZeroDivisionError" in log


@needs_bubblewrap
def test_an_isolated_class_plays_an_episode(tmp_path: Path) -> None:
    path = tmp_path / "own" / "mine.py"
    path.parent.mkdir()
    path.write_text(CLASS)
    agent: Agent = isolated_agent(f"{path}:Mine", {}, seed=0)
    result, folder = episode(agent, tmp_path / "runs")
    assert (result["outcome"], result["answer"]) == ("exit", "done")
    described: dict[str, Any] = json.loads((folder / "manifest.json").read_text())["agent"]
    assert described["isolation"]["label"] == "isolated"
    assert described["files"].keys() == {"mine.py"}


# --- from the command line --------------------------------------------------------------------------------------------


def run_in_the_code_setting(lpb_gen: Any, folder: Path, agent: str, *words: str) -> dict[str, Any]:
    """The manifest's words on the agent."""
    levels.write_catalogue(folder / "levels-of-mine", levels.objectives())
    where = ("--snapshot", "levels-of-mine", "--game", "maze", "--tier", "easy", "--surface", "direct")
    done = lpb_gen("run", *where, "--agent", agent, "--setting", "code", "--json", *words)
    assert done.returncode == 0, done.stderr
    manifest = json.loads((folder / json.loads(done.stdout)["record"] / "manifest.json").read_text())
    assert manifest["settings"]["setting"] == "code"
    begun_with = next(read_events(folder / json.loads(done.stdout)["record"] / "events.jsonl"))["data"]
    assert begun_with["isolation"] == manifest["agent"]["isolation"]["label"]
    described: dict[str, Any] = manifest["agent"]
    return described


@needs_bubblewrap
def test_run_in_the_code_setting_isolates_and_says_goodbye(lpb_gen: Any, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "mine.py").write_text(CLASS)
    described = run_in_the_code_setting(lpb_gen, tmp_path, "own/mine.py:Mine")
    assert described["isolation"]["label"] == "isolated"
    [log] = tmp_path.glob("runs/*/agent-stderr.txt")
    assert log.read_text() == "printed\ntidied up\n"  # it had its time to end


def test_run_in_the_code_setting_records_a_command_without_its_secrets(lpb_gen: Any, tmp_path: Path) -> None:
    path = program(tmp_path, "see(); say(answer='that is all')")
    agent = f"command:python3 {path} --api-key sk-typed"
    described = run_in_the_code_setting(lpb_gen, tmp_path, agent, "--agent-option", "isolate=no")
    assert described["isolation"] == {"isolated": False, "label": "not isolated", "reason": "not asked for"}
    assert "sk-typed" not in json.dumps(described)
    assert len(described["source_sha256"]) == 64


@pytest.mark.browser
@needs_bubblewrap
def test_no_port_of_the_runner_or_its_browser_can_be_reached(tmp_path: Path) -> None:
    import psutil

    from lpb_gen.runners.browser import BrowserSurface
    from lpb_gen.runners.session import Session

    surface = BrowserSurface(Session(levels.objectives()), browser=os.environ.get("LPB_BROWSER"))
    surface.start()
    try:
        runner = psutil.Process()
        ours = [runner, *runner.children(recursive=True)]
        ports = [c.laddr.port for p in ours for c in p.net_connections() if c.status == psutil.CONN_LISTEN]
        assert ports
        body = f"""
reached = []
for port in {ports!r}:
    try:
        socket.create_connection(("127.0.0.1", port), 2).close()
        reached.append(port)
    except OSError:
        pass
see(); say(step="told", text=json.dumps(reached))
"""
        path = program(tmp_path, body)
        for isolate, expected in (("yes", []), ("no", ports)):
            with begun(isolated_agent(f"command:python3 {path}", {"isolate": isolate}, seed=0)) as agent:
                assert told(agent) == expected
    finally:
        surface.close()
