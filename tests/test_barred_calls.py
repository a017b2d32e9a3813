"""The filter of system calls on every machine that it knows, run here by an interpreter of its instructions."""

from __future__ import annotations

import struct

import pytest

from lpb_gen.runners.barred_calls import account, program
from lpb_gen.runners.isolation import Isolation

ALLOWED, NO_CALL, NO_FAMILY = 0x7FFF0000, 0x50000 + 38, 0x50000 + 97
UNIX, INET, INET6, NETLINK, ALG, VSOCK = 1, 2, 10, 16, 38, 40
# as the kernel's tables have them: read, socket, add_key, request_key, keyctl, io_uring_setup
ARCHITECTURES = {
    "x86_64": (0xC000003E, 0, 41, 248, 249, 250, 425),
    "i386": (0x40000003, 3, 359, 286, 287, 288, 425),
    "aarch64": (0xC00000B7, 63, 198, 217, 218, 219, 425),
    "arm": (0x40000028, 3, 281, 309, 310, 311, 425),
    "riscv64": (0xC00000F3, 63, 198, 217, 218, 219, 425),
}
RUNS = [("x86_64", "x86_64"), ("x86_64", "i386"), ("aarch64", "aarch64"), ("aarch64", "arm"), ("riscv64", "riscv64")]


def judged(machine: str, architecture: int, number: int, argument: int = 0) -> int:
    """What the filter returns for a call."""
    code = program(machine)
    assert code is not None
    words = list(struct.iter_unpack("<HBBI", code))
    data = struct.pack("<IIQ6Q", number, architecture, 0, argument, 0, 0, 0, 0, 0)
    held, place = 0, 0
    while True:
        what, yes, no, operand = words[place]
        place += 1
        match what:
            case 0x20:
                (held,) = struct.unpack_from("<I", data, operand)
            case 0x15:
                place += yes if held == operand else no
            case 0x35:
                place += yes if held >= operand else no
            case 0x06:
                return int(operand)


@pytest.mark.parametrize(("machine", "name"), RUNS)
def test_keyrings_io_uring_and_foreign_sockets_are_barred_and_nothing_else(machine: str, name: str) -> None:
    architecture, read, socket, *barred = ARCHITECTURES[name]
    assert judged(machine, architecture, read) == ALLOWED
    assert {judged(machine, architecture, number) for number in barred} == {NO_CALL}
    assert {judged(machine, architecture, socket, family) for family in (UNIX, INET, INET6, NETLINK)} == {ALLOWED}
    assert {judged(machine, architecture, socket, family) for family in (0, ALG, VSOCK)} == {NO_FAMILY}
    high = 1 << 32  # the kernel takes the low half
    assert judged(machine, architecture, socket, high | UNIX) == ALLOWED
    assert judged(machine, architecture, socket, high | VSOCK) == NO_FAMILY
    others = {n for n in range(500) if judged(machine, architecture, n, UNIX) != ALLOWED} - set(barred)
    assert others == ({102} if name == "i386" else set())  # socketcall, whose families lie in memory


def test_a_second_set_of_calls_is_barred() -> None:
    architecture = ARCHITECTURES["x86_64"][0]
    assert judged("x86_64", architecture, 0x40000000 | 41, VSOCK) == NO_CALL  # x32
    assert judged("aarch64", architecture, 0) == NO_CALL, "another architecture's"
    assert judged("riscv64", ARCHITECTURES["arm"][0], 3) == NO_CALL


def test_where_the_numbers_are_not_known_the_manifest_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert program("ppc64le") is None
    assert account("x86_64") == "filtered"
    monkeypatch.setattr("platform.machine", lambda: "ppc64le")
    told = Isolation(tool="/usr/bin/bwrap").describe()["system_calls"]
    assert told == "not filtered: their numbers on ppc64le are not known"
