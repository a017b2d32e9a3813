"""System calls that an isolated program may not make, because no namespace holds what they reach: the kernel's
keyrings, where one episode could leave word for the next; sockets of families that know no network namespace (vsock);
io_uring, which makes sockets without the call that is looked at here.

A seccomp filter in classic BPF, made by hand: a few instructions, and bubblewrap takes it as it is.
"""

from __future__ import annotations

import os
import platform
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

INSTRUCTION = struct.Struct("=HBBI")  # struct sock_filter: code, jump if true, jump if false, operand
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06  # BPF_LD|W|ABS, BPF_JMP|JEQ|K, BPF_JMP|JGE|K, BPF_RET|K
NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16  # offsets into struct seccomp_data; the last one's low half
ALLOW, REFUSE = 0x7FFF0000, 0x00050000  # SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO
ENOSYS, EAFNOSUPPORT = 38, 97
FAMILIES = (1, 2, 10, 16)  # AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: each of them in its own network namespace
IO_URING_SETUP = 425  # everywhere
X32 = 0x40000000  # set in the numbers of a second set of calls of x86-64


@dataclass(frozen=True, slots=True)
class Calls:
    """An architecture as AUDIT_ARCH_… names it, and its numbers. ``others``: further calls that are barred, as they are
    a second way to the same."""

    architecture: int
    add_key: int
    request_key: int
    keyctl: int
    socket: int
    others: tuple[int, ...] = ()

    @property
    def barred(self) -> tuple[int, ...]:
        return (self.add_key, self.request_key, self.keyctl, IO_URING_SETUP, *self.others)


X86_64 = Calls(0xC000003E, 248, 249, 250, 41)
I386 = Calls(0x40000003, 286, 287, 288, 359, (102,))  # socketcall
AARCH64 = Calls(0xC00000B7, 217, 218, 219, 198)
ARM = Calls(0x40000028, 309, 310, 311, 281)
RISCV64 = Calls(0xC00000F3, 217, 218, 219, 198)
MACHINES = {"x86_64": (X86_64, I386), "aarch64": (AARCH64, ARM), "riscv64": (RISCV64,)}  # by what uname says


def program(machine: str) -> bytes | None:
    """The filter for a machine; None for one whose numbers are not known here. Calls of another architecture fail."""
    if machine not in MACHINES:
        return None
    words = [(LOAD, 0, 0, ARCHITECTURE)]
    for calls in MACHINES[machine]:
        part = _of(calls)
        words += [(EQUAL, 0, len(part), calls.architecture), *part]
    words.append((RETURN, 0, 0, REFUSE | ENOSYS))
    return b"".join(INSTRUCTION.pack(*word) for word in words)


def account(machine: str) -> str:
    """What a manifest says of the filter."""
    if machine in MACHINES:
        return "filtered"
    return f"not filtered: their numbers on {machine or 'this machine'} are not known"


def _of(calls: Calls) -> list[tuple[int, int, int, int]]:
    refuse = (RETURN, 0, 0, REFUSE | ENOSYS)
    words = [(LOAD, 0, 0, NUMBER), (AT_LEAST, 0, 1, X32), refuse]
    for number in calls.barred:
        words += [(EQUAL, 0, 1, number), refuse]
    allow = (RETURN, 0, 0, ALLOW)
    words += [(EQUAL, 1, 0, calls.socket), allow, (LOAD, 0, 0, FIRST_ARGUMENT)]
    for family in FAMILIES:
        words += [(EQUAL, 0, 1, family), allow]
    return [*words, (RETURN, 0, 0, REFUSE | EAFNOSUPPORT)]


@contextmanager
def descriptor() -> Iterator[int | None]:
    """A descriptor that the filter of this machine can be read from, for a child to inherit."""
    filter_ = program(platform.machine())
    if filter_ is None:
        yield None
        return
    number = os.memfd_create("lpb-gen barred calls")
    try:
        os.write(number, filter_)
        os.lseek(number, 0, os.SEEK_SET)
        yield number
    finally:
        os.close(number)
