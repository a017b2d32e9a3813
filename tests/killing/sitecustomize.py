"""Kills a command and all that it has started, as a power cut would, at the k-th thing that it does to the disk.

Python runs this file at the start of every process that has this folder on PYTHONPATH: lpb-gen's own, DVC's, and the
stages'. They count together, in KILL_LOG. A thing is a program started, or a file below KILL_ROOT that is opened for
writing, renamed, linked or deleted, or a folder made (where there is none yet) or deleted. It is killed before that
happens; a file that would have been written anew is left with half of what it had. KILL_AT: the number, or words that
the thing is told with; without it nothing is killed, and KILL_LOG has all there is.
"""

import fcntl
import os
import signal
import sys

CHANGES = ("os.rename", "os.remove", "os.link", "os.symlink", "os.mkdir", "os.rmdir", "os.truncate")
# what only reads, or is written so often and means so little that other tests see to it
GIT_WRITES = {"add", "commit", "tag", "push", "checkout", "rm"}
NOISE = (".tmp", "/rwlock", "/rwlock.lock", "/feed.jsonl", "/btime", ".dvc/tmp", ".dvc/tmp/lpb-gen")
root, at, log = os.environ.get("KILL_ROOT", ""), os.environ.get("KILL_AT", ""), os.environ.get("KILL_LOG", "")


def thing(event: str, args: tuple[object, ...]) -> tuple[str, str]:
    """What is about to be done, in words (empty: nothing that counts), and the file that would be written anew."""
    if event == "subprocess.Popen":
        words = [str(word) for word in args[1]] if isinstance(args[1], list) else []
        if words[:1] == ["git"]:
            verb = next((word for word in words[3:] if word in GIT_WRITES), "")
            return (f"start git {verb}" if verb else ""), ""
        return "start " + " ".join(words[2:6]), ""
    flags = args[2] if event == "open" else 0
    if event not in CHANGES and not (isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR)):
        return "", ""
    place = args[1] if event == "os.rename" else args[0]
    if not isinstance(place, str | bytes | os.PathLike):
        return "", ""
    path = os.path.abspath(os.fsdecode(place))
    if not path.startswith(root + os.sep) or path.endswith(NOISE):
        return "", ""
    if event == "os.mkdir" and (os.path.isdir(path) or not os.path.isdir(os.path.dirname(path))):
        return "", ""  # it will fail, and change nothing: as killed at the step before
    anew = isinstance(flags, int) and bool(flags & os.O_TRUNC) and os.path.isfile(path)
    return f"{event} {os.path.relpath(path, root)}", path if anew else ""


def watch(event: str, args: tuple[object, ...]) -> None:
    told, anew = thing(event, args) if not ending else ("", "")
    if not told:
        return
    handle = os.open(log, os.O_RDWR | os.O_CREAT | os.O_APPEND)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        done = os.pread(handle, 1 << 24, 0).count(b"\n")
        os.write(handle, told.replace("\n", " ").encode() + b"\n")
        if at and (done + 1 == int(at) if at.isdigit() else at in told):
            ending.append(told)
            if anew:
                os.truncate(anew, os.path.getsize(anew) // 2)
            os.killpg(0, signal.SIGKILL)
    finally:
        os.close(handle)


ending: list[str] = []
if root:
    sys.addaudithook(watch)
