"""Snapshots that are not in the repository at hand: Git URLs, other repositories and DVC stores."""

from __future__ import annotations

import asyncio
import functools
import http.server
import json
import random
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import catalogues
import pytest

from lpb_gen.pipeline import elsewhere
from lpb_gen.pipeline.elsewhere import InRepository, InStore, locate
from lpb_gen.pipeline.manifest import SnapshotCorrupt
from lpb_gen.pipeline.published import TakenInStore, object_path, publish
from lpb_gen.pipeline.repository import Repository
from lpb_gen.pipeline.revisions import MovedTag, Pin, UnknownSnapshot
from lpb_gen.pipeline.snapshot import Snapshot, load
from lpb_gen.pipeline.storage import MissingObject, StorageUnreachable, md5_of, shown


class Server(http.server.ThreadingHTTPServer):
    """A web server on loopback that serves a folder, takes what is PUT there, and remembers what it was asked."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.asked = folder, list[str]()
        super().__init__(("127.0.0.1", 0), functools.partial(_Handler, directory=str(folder)))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(http.server.SimpleHTTPRequestHandler):
    server: Server

    def log_message(self, *_: object) -> None:
        self.server.asked.append(f"{self.command} {self.path}")

    def do_PUT(self) -> None:
        target = Path(self.translate_path(self.path))
        target.parent.mkdir(parents=True, exist_ok=True)
        if self.headers.get("Transfer-Encoding") == "chunked":
            data = b""
            while size := int(self.rfile.readline(), 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            data = self.rfile.read(int(self.headers["Content-Length"]))
        target.write_bytes(data)
        self.send_response(201)
        self.send_header("Content-Length", "0")
        self.end_headers()


@contextmanager
def served(folder: Path) -> Iterator[Server]:
    with Server(folder) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """What a leaderboard's host has: a bare Git repository ``levels.git`` on a web server, with a snapshot pinned as v1
    and v2, and a DVC store ``store`` that was filled through the same server. ``work`` is the maintainer's own."""
    folder = tmp_path_factory.mktemp("host")
    with served(folder) as server:
        work = catalogues.pinned(folder / "work")
        for words in (("add", "--default", "web", f"{server.url}/store"), ("modify", "web", "method", "PUT")):
            assert work.dvc("remote", *words).returncode == 0
        work.git("commit", "--quiet", "--all", "--message", "a store on the web")
        work.git("clone", "--quiet", "--bare", ".", str(folder / "levels.git"))
        work.git("remote", "add", "origin", str(folder / "levels.git"))
        work.must("pin", "v2", "--push", "--message", "For the winter leaderboard")
        catalogues.Catalogue(folder / "levels.git").git("update-server-info")
        yield server


@pytest.fixture
def expected(host: Server) -> Snapshot:
    return load("v2", host.folder / "work")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's cache of our own."""
    for name, value in catalogues.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("LPB_CACHE_DIR", str(tmp_path / "user cache"))
    return tmp_path / "user cache"


def spoil(folder: Path) -> int:
    """Changes one character in every level file below; how many there were."""
    files = [path for path in folder.rglob("*") if path.is_file() and b'"board"' in path.read_bytes()]
    for path in files:
        path.chmod(0o644)
        path.write_bytes(path.read_bytes().replace(b".", b"#", 1))
    return len(files)


@pytest.fixture
def copied(host: Server, tmp_path: Path) -> Path:
    """A store of our own to do harm to: a copy of the host's."""
    return shutil.copytree(host.folder / "store", tmp_path / "copied store")


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reference", "leads"),
    [
        ("https://example.org/levels.git#v1", InRepository("https://example.org/levels.git", "v1")),
        ("https://example.org/levels.git", InRepository("https://example.org/levels.git", "HEAD")),
        ("git+https://example.org/levels#main", InRepository("https://example.org/levels", "main")),
        ("git@example.org:owner/levels.git#v1", InRepository("git@example.org:owner/levels.git", "v1")),
        ("ssh://git@example.org/levels#v1", InRepository("ssh://git@example.org/levels", "v1")),
        ("dvc+https://example.org/store/#v1", InStore("https://example.org/store", "v1")),
        ("dvc+ssh://example.org/store#v1", InStore("ssh://example.org/store", "v1")),
        ("s3://bucket/levels#sha256:00", InStore("s3://bucket/levels", "sha256:00")),
        ("catalogue@v1", None),
        ("v1", None),
        ("HEAD~3", None),
        ("no-such-folder#v1", None),
    ],
)
def test_what_a_reference_means(tmp_path: Path, reference: str, leads: object) -> None:
    assert locate(reference, tmp_path) == leads


def test_a_url_that_nothing_reads_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnknownSnapshot, match="no snapshot can be read from gopher://; Git: https, ssh"):
        load("gopher://example.org/levels#v1", tmp_path)


# --- Git --------------------------------------------------------------------------------------------------------------


def test_a_snapshot_of_a_git_url_outside_any_repository(host: Server, tmp_path: Path, expected: Snapshot) -> None:
    """Served by a web server that knows nothing of Git; the levels come from the store that the repository names."""
    url = f"{host.url}/levels.git"
    assert load(f"{url}#v2", tmp_path) == expected
    host.asked.clear()
    assert load(f"{url}#v2", tmp_path) == expected
    assert load(f"{url}#{expected.pin.commit}", tmp_path).pin.digest == expected.pin.digest
    assert host.asked == [], "a pin never moves: the second time nobody is asked"
    assert load(url, tmp_path).files == expected.files
    assert host.asked != [], "what may move is fetched each time"
    with pytest.raises(UnknownSnapshot, match=rf"{url}: no snapshot 'v9'; its tags are v1, v2; name one after '#'"):
        load(f"{url}#v9", tmp_path)


def test_every_way_to_name_a_repository_of_this_machine(host: Server, tmp_path: Path, expected: Snapshot) -> None:
    work, bare = host.folder / "work", host.folder / "levels.git"
    for name in (f"{work}#v2", f"{work.as_uri()}#v2", f"{work}#HEAD", f"{bare}#v2", f"{bare.as_uri()}#v2"):
        assert load(name, tmp_path).files == expected.files, name
    assert load("../work#v2", host.folder / "store") == expected
    told = json.loads(catalogues.Catalogue(tmp_path).must("log", f"{work}#v2", "--json"))
    assert [change["commit"] for change in told] == [expected.pin.commit]
    assert load(f"{bare.as_uri()}#v2", tmp_path).pin == expected.pin


def test_a_repository_whose_head_is_a_branch_that_nobody_pushed_is_read(
    host: Server, tmp_path: Path, expected: Snapshot
) -> None:
    bare = catalogues.Catalogue(tmp_path / "levels.git")
    catalogues.Catalogue(host.folder).git("clone", "--quiet", "--bare", "levels.git", str(bare.root))
    bare.git("symbolic-ref", "HEAD", "refs/heads/never-pushed")
    assert load(f"{bare.root.as_uri()}#v2", tmp_path) == expected
    assert load(bare.root.as_uri(), tmp_path).files == expected.files, "without a name the newest branch is taken"


def test_a_git_url_that_cannot_be_read_is_told(host: Server, tmp_path: Path, cache: Path) -> None:
    with pytest.raises(StorageUnreachable, match=r"Git cannot read it: .*not found.*a DVC store is written dvc\+https"):
        load(f"{host.url}/nothing.git#v1", tmp_path)
    with pytest.raises(StorageUnreachable, match="Git cannot read it"):
        load("http://127.0.0.1:9/levels.git#v1", tmp_path)


def test_a_moved_tag_is_not_followed_by_who_has_the_first(host: Server, tmp_path: Path, expected: Snapshot) -> None:
    bare = catalogues.Catalogue(tmp_path / "levels.git")
    catalogues.Catalogue(host.folder).git("clone", "--quiet", "--bare", "levels.git", str(bare.root))
    assert load(f"{bare.root}#v2", tmp_path) == expected
    bare.git("tag", "--force", "catalogue@v2", "main")
    assert load(f"{bare.root}#v2", tmp_path) == expected
    assert load(f"{bare.root}#main", tmp_path).files == expected.files, "other tags can still be fetched"
    shutil.rmtree(tmp_path / "user cache")
    with pytest.raises(MovedTag, match="the tag was moved: pinned at commit"):
        load(f"{bare.root}#v2", tmp_path)


def test_a_clone_that_was_cut_off_is_made_again(host: Server, tmp_path: Path, cache: Path, expected: Snapshot) -> None:
    load(f"{host.folder}/levels.git#v2", tmp_path)
    (clone,) = (path for path in (cache / "git").iterdir() if path.is_dir())
    (clone / ".dvc" / "config.local").unlink()
    (clone / ".git" / "HEAD").write_text("half a l")
    assert load(f"{host.folder}/levels.git#v2", tmp_path) == expected


def test_a_repository_that_is_no_catalogue_is_told(tmp_path: Path) -> None:
    other = catalogues.Catalogue(tmp_path)
    other.git("init", "--quiet", "other")
    other = catalogues.Catalogue(tmp_path / "other")
    other.git("commit", "--quiet", "--allow-empty", "--message", "something else")
    other.git("clone", "--quiet", "--bare", ".", "../bare.git")
    assert "not a catalogue (no .dvc folder at its top)" in catalogues.Catalogue(tmp_path).fails(
        "verify", "--snapshot", f"{(tmp_path / 'bare.git').as_uri()}#v1"
    )


def test_a_repository_whose_head_names_no_branch_is_read(host: Server, tmp_path: Path, expected: Snapshot) -> None:
    here, bare = catalogues.Catalogue(tmp_path), tmp_path / "levels.git"
    here.git("clone", "--quiet", "--bare", str(host.folder / "levels.git"), str(bare))
    there = catalogues.Catalogue(bare)
    there.git("symbolic-ref", "HEAD", "refs/heads/trunk")  # as `git init --bare` leaves it, and a push of main
    assert load(f"{bare.as_uri()}#v2", tmp_path) == expected
    assert load(bare.as_uri(), tmp_path).files == expected.files, "its one branch stands for it"
    there.git("branch", "first", "main")
    there.git("branch", "--move", "main", "second")
    with pytest.raises(UnknownSnapshot, match="HEAD names a branch that it has not; it has first, second; set it"):
        load(bare.as_uri(), tmp_path)
    assert load(f"{bare.as_uri()}#v2", tmp_path) == expected


def test_a_plain_copy_of_a_catalogue_folder_is_restored(host: Server, tmp_path: Path, expected: Snapshot) -> None:
    here, copy = catalogues.Catalogue(tmp_path), tmp_path / "copy"
    shutil.copytree(host.folder / "work" / "catalogue", copy)
    here.must("restore", "copy", "--out", "levels")
    assert load(str(tmp_path / "levels"), tmp_path).files == expected.files
    assert "a snapshot from elsewhere is not put into this work tree" in here.fails("restore", "copy")
    spoil(copy)
    assert "levels" in here.fails("restore", "copy", "--out", "others")
    assert not (tmp_path / "others").exists()
    (tmp_path / "empty").mkdir()
    for words in (("verify", "--snapshot", "empty"), ("diff", "empty", "copy")):
        assert "there is no snapshot in this folder (no manifest.json" in here.fails(*words)


def test_what_no_storage_has_is_made_again_from_a_git_url(host: Server, tmp_path: Path, expected: Snapshot) -> None:
    here = catalogues.Catalogue(tmp_path)
    here.env["LPB_CACHE_DIR"] = str(tmp_path / "user cache")
    bare = tmp_path / "levels.git"
    here.git("clone", "--quiet", "--bare", str(host.folder / "levels.git"), str(bare))
    moved = catalogues.Catalogue(tmp_path / "clone")
    here.git("clone", "--quiet", str(bare), str(moved.root))
    (moved.root / ".dvc/config").write_text("[core]\n    analytics = false\n")
    moved.git("commit", "--quiet", "--all", "--message", "the store is gone")
    moved.git("push", "--quiet", "origin", "HEAD")
    url = f"{bare.as_uri()}#v2"
    told = here.fails("verify", "--snapshot", url)
    assert "neither in the cache nor, for want of a DVC remote, anywhere else" in told
    assert f"lpb-gen restore {url} --out DIR" in told
    assert f"{url}: a snapshot from elsewhere is not put into this work tree; add --out DIR" in here.fails(
        "restore", url
    )
    done = json.loads(here.must("restore", url, "--out", "levels", "--workers", "1", "--json"))
    assert (done["how"], done["digest"]) == ("made again", expected.pin.digest)
    assert load(str(tmp_path / "levels"), tmp_path).files == expected.files
    assert load(url, tmp_path) == expected, "and from now on it can be read"


# --- a DVC store alone ------------------------------------------------------------------------------------------------


def test_a_snapshot_of_a_store_without_its_repository(host: Server, tmp_path: Path, expected: Snapshot) -> None:
    digest = expected.pin.digest
    for store in (f"dvc+{host.url}/store", str(host.folder / "store"), f"dvc+file://{host.folder}/store"):
        assert load(f"{store}#v2", tmp_path) == expected
        by_digest = load(f"{store}#sha256:{digest}", tmp_path)
        assert (by_digest.files, by_digest.pin.digest) == (expected.files, digest)
    host.asked.clear()
    assert load(f"dvc+{host.url}/store#v2", tmp_path) == expected
    assert host.asked == [], "the second time nobody is asked"
    with pytest.raises(UnknownSnapshot, match=r"no snapshot 'v1' in the store \(it has v2\); only snapshots that"):
        load(f"{host.folder}/store#v1", tmp_path)
    with pytest.raises(UnknownSnapshot, match="names no snapshot of a store"):
        load(f"dvc+{host.url}/store", tmp_path)


def test_restore_from_a_store(host: Server, tmp_path: Path, expected: Snapshot) -> None:
    """By a tag, by a copy of the manifest, and in a clone whose own remote is gone."""
    here, store = catalogues.Catalogue(tmp_path), str(host.folder / "store")
    here.must("restore", "v2", "--store", store, "--out", "by tag")
    (tmp_path / "manifest.json").write_bytes(expected.manifest_bytes)
    here.must("restore", "manifest.json", "--store", store, "--out", "by manifest")
    for name in ("by tag", "by manifest"):
        assert load(name, tmp_path).files == expected.files
    here.git("clone", "--quiet", str(host.folder / "levels.git"), "clone")
    clone = catalogues.Catalogue(tmp_path / "clone")
    told = json.loads(clone.must("restore", "v1", "--store", store, "--json"))
    assert told["how"] == "read"
    assert clone.levels == catalogues.Catalogue(host.folder / "work").levels
    assert clone.git("status", "--porcelain") == ""


def test_a_manifest_beside_a_store_of_an_older_version(host: Server, copied: Path, expected: Snapshot) -> None:
    shutil.rmtree(copied / "snapshots")
    (copied.parent / "manifest.json").write_bytes(expected.manifest_bytes)
    here = catalogues.Catalogue(copied.parent)
    here.must("restore", "manifest.json", "--store", str(copied), "--out", "back")
    assert load("back", copied.parent).files == expected.files
    assert "no snapshot 'v2' in the store" in here.fails("restore", "v2", "--store", str(copied), "--out", "no")


def test_damage_in_a_store_is_told_never_read(copied: Path, tmp_path: Path) -> None:
    assert spoil(copied / "files") > 0
    with pytest.raises(SnapshotCorrupt, match="damaged in the store"):
        load(f"{copied}#v2", tmp_path)
    with served(copied) as server:
        for _ in range(2):  # nothing damaged is kept
            with pytest.raises(SnapshotCorrupt, match="damaged in the store"):
                load(f"dvc+{server.url}#v2", tmp_path)


def test_a_forged_manifest_or_pin_in_a_store_is_told(copied: Path, tmp_path: Path, expected: Snapshot) -> None:
    manifest = copied / "snapshots" / expected.pin.digest / "manifest.json"
    manifest.write_bytes(manifest.read_bytes().replace(b'"seed": 0', b'"seed": 1'))
    with pytest.raises(SnapshotCorrupt, match="the manifest is not the pinned one"):
        load(f"{copied}#v2", tmp_path)
    manifest.unlink()
    with pytest.raises(MissingObject, match=r"manifest\.json is missing"):
        load(f"{copied}#v2", tmp_path)
    (copied / "snapshots" / "v3.json").write_bytes((copied / "snapshots" / "v2.json").read_bytes())
    with pytest.raises(SnapshotCorrupt, match=r"snapshots/v3\.json is not what lpb-gen pin has written"):
        load(f"{copied}#v3", tmp_path)
    (copied / "snapshots" / "v3.json").write_text('{"commit": "../../etc/passwd"}')
    with pytest.raises(SnapshotCorrupt, match="is not what lpb-gen pin has written"):
        load(f"{copied}#v3", tmp_path)


def test_a_copy_in_the_cache_that_was_damaged_is_fetched_anew(
    host: Server, tmp_path: Path, cache: Path, expected: Snapshot
) -> None:
    reference = f"dvc+{host.url}/store#v2"
    load(reference, tmp_path)
    assert spoil(cache) > 0
    assert load(reference, tmp_path) == expected


def test_a_store_that_cannot_be_reached_is_told(host: Server, tmp_path: Path) -> None:
    with pytest.raises(StorageUnreachable, match=r"127\.0\.0\.1:9.*the store cannot be reached \(.*refused"):
        load("dvc+http://127.0.0.1:9/store#v2", tmp_path)
    with pytest.raises(StorageUnreachable, match=r"s3 is supported, but requires.*pip install 'dvc\[s3\]'"):
        load("s3://bucket/levels#v2", tmp_path)


def test_two_catalogues_do_not_take_each_others_tags_in_one_store(tmp_path: Path) -> None:
    work, store = catalogues.pinned(tmp_path / "work"), tmp_path / "store"
    (work.root / ".dvc/config.local").write_text(
        "[core]\n    remote = shared\n['remote \"shared\"']\n    url = ../../store\n"
    )
    repository, ours = Repository(work.root), load("v1", work.root)
    theirs = Pin("v3", "5" * 40, ours.pin.digest)
    publish(repository, theirs, ours.manifest_bytes, {f"{'0' * 32}.dir": b""}, print)
    before = {path: path.read_bytes() for path in store.rglob("*.json")}
    with pytest.raises(TakenInStore, match="the DVC remote has a snapshot v3 of another catalogue"):
        publish(repository, replace(ours.pin, tag="v3"), ours.manifest_bytes, {f"{'1' * 32}.dir": b""}, print)
    assert {path: path.read_bytes() for path in store.rglob("*.json")} == before
    publish(repository, replace(ours.pin, tag="v4"), ours.manifest_bytes, {f"{'1' * 32}.dir": b""}, print)
    again = Pin("v4", work.git("rev-parse", "HEAD"), "0" * 64)
    publish(repository, again, b"", {f"{'2' * 32}.dir": b""}, print)
    assert again.digest in (store / "snapshots/v4.json").read_text(), "what a pin of ours left that was cut off"


@pytest.mark.slow
def test_a_store_on_a_server_with_ssh(tmp_path: Path) -> None:
    """A real SFTP server on loopback, with a key; needs DVC's extra for it."""
    pytest.importorskip("dvc_ssh", reason="pip install 'dvc[ssh]'")
    asyncssh = pytest.importorskip("asyncssh")
    if shutil.which("ssh-keygen") is None:
        pytest.skip("ssh-keygen is not installed")
    for name in ("host", "key"):
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / name)]
        subprocess.run(words, check=True, capture_output=True)
    loop, started = asyncio.new_event_loop(), threading.Event()
    ports: list[int] = []

    async def listen() -> None:
        keys = {"server_host_keys": [str(tmp_path / "host")], "authorized_client_keys": str(tmp_path / "key.pub")}
        async with await asyncssh.listen("127.0.0.1", 0, sftp_factory=True, **keys) as server:
            ports.append(server.sockets[0].getsockname()[1])
            started.set()
            await stopped.wait()

    stopped = asyncio.Event()
    thread = threading.Thread(target=loop.run_until_complete, args=(listen(),))
    thread.start()
    try:
        assert started.wait(30)
        work = catalogues.pinned(tmp_path / "work")
        work.env["HOME"] = str(tmp_path)
        (tmp_path / ".ssh").mkdir()
        (tmp_path / ".ssh/config").write_text(f"Host 127.0.0.1\n  User me\n  IdentityFile {tmp_path}/key\n")
        url = f"ssh://127.0.0.1:{ports[0]}{tmp_path}/store"
        assert work.dvc("remote", "add", "--default", "store", url).returncode == 0
        work.git("commit", "--quiet", "--all", "--message", "a store on a server")
        work.must("pin", "v2")
        clone = work.clone(tmp_path / "clone")
        for number, words in enumerate((("v2", "--store", url), (f"dvc+{url}#v2",), (f"{clone.root}#v2",))):
            work.must("restore", *words, "--out", str(tmp_path / f"out {number}"), cwd=tmp_path)
            assert load(f"out {number}", tmp_path).files == load("v2", work.root).files
    finally:
        loop.call_soon_threadsafe(stopped.set)
        thread.join()
        loop.close()


# --- hostile repositories and stores ----------------------------------------------------------------------------------


def published_by(repository: catalogues.Catalogue, bare: Path, **files: str) -> str:
    """The URL of a bare repository with a snapshot of its own, and these files, in its newest commit."""
    manifest = repository.root / "catalogue" / "manifest.json"
    manifest.write_text(manifest.read_text() + "\n")
    for path, text in files.items():
        (repository.root / path).write_text(text)
    repository.git("add", "--force", "--", *files)
    repository.git("commit", "--quiet", "--all", "--message", "a trap")
    repository.git("clone", "--quiet", "--bare", ".", str(bare))
    return bare.as_uri()


@pytest.mark.parametrize("name", ["..//{}", "../../../../../../../../../..{}", "/{}"])
def test_no_lock_file_leads_out_of_the_cache(tmp_path: Path, name: str) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine")
    work = catalogues.pinned(tmp_path / "work")
    lock = (work.root / "dvc.lock").read_text()
    digits = next(word for word in lock.split() if word.endswith(".dir"))
    url = published_by(work, tmp_path / "bare.git", **{"dvc.lock": lock.replace(digits, name.format(precious))})
    here = catalogues.Catalogue(tmp_path)
    here.env["LPB_CACHE_DIR"] = str(tmp_path / "user cache")
    here.lpb("restore", url, "--out", "out", "--workers", "1")
    assert precious.read_text() == "mine", "an object of the cache whose bytes are others is deleted; this is none"


def test_no_lock_file_makes_restore_write_elsewhere(tmp_path: Path) -> None:
    work = catalogues.pinned(tmp_path / "work")
    lock = work.root / "dvc.lock"
    lock.write_text(lock.read_text().replace("path: build/certified/maze-easy.jsonl", "path: ../trap.jsonl"))
    assert "../trap.jsonl" in lock.read_text()
    work.git("commit", "--quiet", "--all", "--message", "a trap")
    work.must("restore", "HEAD", "--workers", "1")
    assert not (tmp_path / "trap.jsonl").exists()


def test_a_huge_repository_does_not_fill_the_disk(
    host: Server, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, expected: Snapshot
) -> None:
    monkeypatch.setattr(elsewhere, "MOST_BYTES", 256 * 1024)
    work, bare = catalogues.Catalogue(host.folder / "work").copy(tmp_path / "work"), tmp_path / "bare.git"
    work.git("clone", "--quiet", "--bare", ".", str(bare))
    assert load(f"{bare.as_uri()}#v2", tmp_path) == expected, "what a catalogue takes is far below the limit"
    (work.root / "huge").write_bytes(random.Random(0).randbytes(2 * 1024 * 1024))
    work.git("add", "--force", "huge")
    work.git("commit", "--quiet", "--message", "what does not belong there")
    work.git("push", "--quiet", str(bare), "HEAD:refs/heads/main")
    fresh = shutil.copytree(bare, tmp_path / "fresh.git")
    for url in (bare.as_uri(), fresh.as_uri()):
        with pytest.raises(StorageUnreachable, match="MiB of history, which is no catalogue's: levels are not in Git"):
            load(url, tmp_path)
    kept = sum(path.stat().st_size for path in cache.rglob("*") if path.is_file())
    assert kept < 1024 * 1024, "nothing of it is left"
    assert load(f"{bare.as_uri()}#v2", tmp_path) == expected, "the pin that was there is"


def test_of_another_repository_only_settings_are_written_out(host: Server, tmp_path: Path, cache: Path) -> None:
    work = catalogues.Catalogue(host.folder / "work").copy(tmp_path / "work")
    load(published_by(work, tmp_path / "bare.git", readme="a small tree can stand for a million files"), tmp_path)
    (clone,) = (path for path in (cache / "git").iterdir() if path.is_dir())
    written = {path.relative_to(clone).as_posix() for path in clone.rglob("*") if path.is_file()}
    assert {".dvc/config", ".dvc/config.local"} <= written
    assert not {name for name in written if not name.startswith((".git/", ".dvc/"))}, "neither readme nor dvc.yaml"


@pytest.mark.parametrize("path", [".dvc/config", ".dvc/config.local"])
def test_another_repository_names_no_files_of_this_machine(host: Server, tmp_path: Path, path: str) -> None:
    work = catalogues.Catalogue(host.folder / "work").copy(tmp_path / "work")
    trap = "[core]\n    remote = s3\n['remote \"s3\"']\n    url = s3://bucket/levels\n    configpath = ../profile\n"
    url = published_by(work, tmp_path / "bare.git", **{path: trap})
    with pytest.raises(
        StorageUnreachable, match=rf"its {path} sets configpath, which only a repository of your own may"
    ):
        load(url, tmp_path)


@pytest.mark.parametrize("listing", ["not JSON", "[1]", '[{"relpath": "maze/easy.jsonl", "md5": 7}]', "[" * 9999])
def test_a_forged_list_of_level_files_is_told(copied: Path, tmp_path: Path, listing: str) -> None:
    pointer = copied / "snapshots" / "v2.json"
    content = json.loads(pointer.read_text())
    content["levels"] = md5_of(listing.encode()) + ".dir"
    pointer.write_text(json.dumps(content))
    target = copied / object_path(content["levels"])
    target.parent.mkdir(exist_ok=True)
    target.write_text(listing)
    with pytest.raises(SnapshotCorrupt, match="the list of its level files is damaged"):
        load(f"{copied}#v2", tmp_path)


def test_a_pin_nested_too_deeply_is_told(copied: Path, tmp_path: Path) -> None:
    (copied / "snapshots" / "v2.json").write_text("[" * 99999)
    with pytest.raises(SnapshotCorrupt, match="is not what lpb-gen pin has written"):
        load(f"{copied}#v2", tmp_path)


def test_an_endless_answer_ends(copied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lpb_gen.pipeline.published.MOST_BYTES", 100)
    with (
        served(copied) as server,
        pytest.raises(StorageUnreachable, match="the answer is longer than 100 bytes, which no file of a snapshot is"),
    ):
        load(f"dvc+{server.url}#v2", tmp_path)


@pytest.mark.parametrize(
    ("reference", "seen"),
    [
        ("https://me:secret@example.org/levels.git#v1", "https://…@example.org/levels.git#v1"),
        ("dvc+https://secret@example.org/store#v1", "dvc+https://…@example.org/store#v1"),
        ("ssh://git:secret@example.org/levels#v1", "ssh://git:…@example.org/levels#v1"),
        ("ssh://git@example.org/levels#v1", "ssh://git@example.org/levels#v1"),
        ("cannot read 'https://secret@example.org/'", "cannot read 'https://…@example.org/'"),
        ("catalogue@v1", "catalogue@v1"),
    ],
)
def test_passwords_and_tokens_are_not_shown(reference: str, seen: str) -> None:
    assert shown(reference) == seen


@pytest.mark.parametrize("prefix", ["", "dvc+"])
def test_no_message_has_the_token_of_a_url(tmp_path: Path, prefix: str) -> None:
    told = catalogues.Catalogue(tmp_path).fails(
        "verify", "--snapshot", f"{prefix}http://me:secret@127.0.0.1:9/levels#v1"
    )
    assert "secret" not in told
    assert "127.0.0.1:9/levels" in told
