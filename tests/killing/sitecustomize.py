"""Kills a command and all that it has started, as a power cut would, right before the k-th thing that it does.

Python runs this file at the start of every process that has this folder on PYTHONPATH: lpb-gen's own, DVC's, and the
stages'. They count together, in a file; a thing is a program started, or a file below KILL_ROOT that is opened for
writing, renamed, linked, deleted, or a folder made or deleted. KILL_AT says which one is the last (0: none).
"""

import fcntl
import os
import signal
import sys

CHANGES = ("os.rename", "os.remove", "os.link", "os.symlink", "os.mkdir", "os.rmdir", "os.truncate", "shutil.rmtree")
root, at, log = os.environ.get("KILL_ROOT", ""), int(os.environ.get("KILL_AT", "0")), os.environ.get("KILL_LOG", "")


def thing(event: str, args: tuple[object, ...]) -> str:
    """What is about to be done, in words; empty where it changes nothing that counts."""
    if event == "subprocess.Popen":
        words = args[1] if isinstance(args[1], list) else []
        return "start " + " ".join(str(word) for word in words[-4:])
    if event == "open":
        flags = args[2]
        if not isinstance(flags, int) or not flags & (os.O_WRONLY | os.O_RDWR):
            return ""
    elif event not in CHANGES:
        return ""
    place = args[1] if event == "os.rename" else args[0]
    if not isinstance(place, str | bytes | os.PathLike):
        return ""
    path = os.path.abspath(os.fsdecode(place))
    return f"{event} {os.path.relpath(path, root)}" if path.startswith(root + os.sep) else ""


def watch(event: str, args: tuple[object, ...]) -> None:
    told = thing(event, args)
    if not told:
        return
    handle = os.open(log, os.O_RDWR | os.O_CREAT | os.O_APPEND)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        done = os.pread(handle, 1 << 24, 0).count(b"\n")
        os.write(handle, told.replace("\n", " ").encode() + b"\n")
        if done + 1 == at:
            os.killpg(0, signal.SIGKILL)
    finally:
        os.close(handle)


if root:
    sys.addaudithook(watch)
