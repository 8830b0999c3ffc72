"""A command under a tracer that fails, shortens or writes down its system calls on the files of one folder.

`python -m tests.syscalls SPEC.json COMMAND ...` runs a command, its threads and its children with them, and ends with
its exit code. Nothing in the command is patched: Python, sqlite and whatever else is loaded get the kernel's answer.
It needs Linux on x86_64 or aarch64, and no compiler: `ptrace` and a seccomp filter, which stops a process only where
a file may change, are called by ctypes.
"""

from __future__ import annotations

import base64
import ctypes
import errno
import json
import os
import platform
import signal
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

WRITES = frozenset({"write", "pwrite", "writev"})
GROWING = WRITES | {"open", "mkdir", "rename"}
"""Calls for which a full disk has no room; opening is one where it makes a file."""
CALLS = GROWING | {"fsync", "fdatasync", "truncate", "ftruncate", "unlink"}
NAMING = frozenset({"open", "rename", "unlink"})
SENDING = frozenset({"send"})
"""What a process that the command started says over a socket; it is on no file, and counts only where it may fail."""


class Fault(NamedTuple):
    """What happens to a call.

    Args:
        of: the calls it may happen to; they are counted together.
        code: what the call fails with; 0 when it does not fail.
        short: half of what is to be written is written.
        kill: the process is killed, before the call, or after a short one.
    """

    of: frozenset[str]
    code: int = 0
    short: bool = False
    kill: bool = False


FAULTS: Mapping[str, Fault] = {
    "broken": Fault(CALLS, errno.EIO),
    "full": Fault(GROWING, errno.ENOSPC),
    "refused": Fault(NAMING, errno.EACCES),
    "unsynced": Fault(frozenset({"fsync", "fdatasync"}), errno.EIO),
    "short": Fault(WRITES, short=True),
    "killed": Fault(CALLS, kill=True),
    "torn": Fault(WRITES, short=True, kill=True),
    "unanswered": Fault(SENDING, errno.EPIPE),
}


@dataclass(frozen=True)
class Spec:
    """What is done to a command.

    Args:
        within: the folder whose files count.
        log: file that gets a JSON line for each call on them.
        besides: names of folders in it that do not count.
        fault: name of what happens, one of `FAULTS`; None for nothing.
        at: number of the call that it happens to, from 1, among those that it may happen to.
        lasting: it happens to all later ones too.
        contents: the log gets what is written too, and what is written to stdout.
    """

    within: str
    log: str
    besides: Sequence[str] = ()
    fault: str | None = None
    at: int = 0
    lasting: bool = False
    contents: bool = False


def tracer(spec: Spec) -> list[str]:
    """Return the beginning of a command that is to be run so."""
    Path(spec.log).unlink(missing_ok=True)
    file = Path(f"{spec.log}.spec")
    file.write_text(json.dumps(asdict(spec)), encoding="utf-8")
    return [sys.executable, "-m", "tests.syscalls", str(file)]


def calls(spec: Spec) -> list[dict[str, Any]]:
    """Return the calls that a command made on the files that count.

    Each has `call`, `path` inside the folder, `fault` (whether it happened to this one), and what belongs to it: `to`,
    `flags`, `at`, `size`, `data`; or it is `said`, what was written to stdout.
    """
    with Path(spec.log).open(encoding="utf-8") as log:
        return [json.loads(line) for line in log]


# -- the kernel --------------------------------------------------------------------------------------------------------


class Machine(NamedTuple):
    """One kind of processor, as far as system calls differ.

    Args:
        audit: its number in filters.
        numbers: of each call, by number, the name here and where its arguments are: of a descriptor, of the folder of
            a path and the path, of both paths of a renaming, of flags, and of the bytes and their count.
        registers: how many there are.
        arguments: which of them hold the arguments.
        result: which holds the result.
    """

    audit: int
    numbers: Mapping[int, str]
    registers: int
    arguments: tuple[int, ...]
    result: int


MACHINES = {
    "x86_64": Machine(
        0xC000003E,
        {
            1: "write", 18: "pwrite", 20: "writev", 44: "sendto", 74: "fsync", 75: "fdatasync", 77: "ftruncate",
            82: "rename", 83: "mkdir", 87: "unlink", 162: "sync", 257: "openat", 258: "mkdirat", 263: "unlinkat",
            264: "renameat", 316: "renameat2",
        },
        27, (14, 13, 12, 7), 10,
    ),
    "aarch64": Machine(
        0xC00000B7,
        {
            64: "write", 68: "pwrite", 66: "writev", 82: "fsync", 83: "fdatasync", 46: "ftruncate", 34: "mkdirat",
            35: "unlinkat", 38: "renameat", 276: "renameat2", 81: "sync", 56: "openat", 206: "sendto",
        },
        34, (0, 1, 2, 3), 0,
    ),
}  # fmt: skip
MACHINE = MACHINES.get(platform.machine()) if sys.platform == "linux" else None
"""This one; None when its system calls cannot be traced, as on a Mac."""

_SEIZE, _CONT, _SYSCALL, _GETREGSET, _SETREGSET, _EVENTMSG = 0x4206, 7, 24, 0x4204, 0x4205, 0x4201
_SYSGOOD, _FORK, _VFORK, _CLONE, _EXEC, _SECCOMP, _EXITKILL = 1, 2, 4, 8, 16, 128, 1 << 20
_OPTIONS = _SYSGOOD | _FORK | _VFORK | _CLONE | _EXEC | _SECCOMP | _EXITKILL
_ORIG_RAX = 15
_PRSTATUS, _ARM_CALL = 1, 0x404
_STOPPED_BY_FILTER, _STOPPED_ANYHOW = 7, 128
_WALL = 0x40000000
_AT_FDCWD, _OPENAT2 = -100, 437
_NO_NEW_PRIVS, _SET_SECCOMP, _FILTER = 38, 22, 2

_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_libc.ptrace.restype = ctypes.c_long


class _IoVec(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("size", ctypes.c_size_t))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))


def _ptrace(request: int, pid: int, address: int = 0, data: object = None) -> None:
    if _libc.ptrace(request, pid, address, data) < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def _install_filter(machine: Machine) -> None:
    """Have this process and all that come of it stop at the calls that matter, and at no others."""
    load, equal, any_bit, answer = 0x20, 0x15, 0x45, 0x06
    changing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    plain = [number for number, name in machine.numbers.items() if name != "openat"]
    opening = next(number for number, name in machine.numbers.items() if name == "openat")
    count = len(plain)
    code = [
        (load, 0, 0, 4),
        (equal, 0, count + 8, machine.audit),
        (load, 0, 0, 0),
        (equal, 0, 1, _OPENAT2),  # no filter can look into its flags: as if the kernel lacked it, openat is called
        (answer, 0, 0, 0x50000 | errno.ENOSYS),
        *((equal, count + 4 - at, 0, number) for at, number in enumerate(plain)),
        (equal, 0, 3, opening),
        (load, 0, 0, 32),
        (any_bit, 1, 0, os.O_PATH),
        (any_bit, 1, 0, changing),
        (answer, 0, 0, 0x7FFF0000),
        (answer, 0, 0, 0x7FF00000),
    ]
    packed = b"".join(struct.pack("=HBBI", *one) for one in code)
    kept = ctypes.create_string_buffer(packed, len(packed))
    program = _Program(len(code), ctypes.cast(kept, ctypes.c_void_p))
    for option, value, pointer in ((_NO_NEW_PRIVS, 1, None), (_SET_SECCOMP, _FILTER, ctypes.byref(program))):
        if _libc.prctl(option, value, pointer, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "no filter of system calls can be installed")


@dataclass
class Stopped:
    """A thread that stands before a system call.

    Args:
        pid: its number.
        machine: the processor.
    """

    pid: int
    machine: Machine
    registers: Any = field(init=False)

    def __post_init__(self) -> None:
        self.registers = (ctypes.c_uint64 * self.machine.registers)()
        self._transfer(_GETREGSET, _PRSTATUS, self.registers)

    def _transfer(self, request: int, kind: int, buffer: Any) -> None:
        vector = _IoVec(ctypes.addressof(buffer), ctypes.sizeof(buffer))
        _ptrace(request, self.pid, kind, ctypes.addressof(vector))

    @property
    def name(self) -> str:
        """The name of the call."""
        number = self.registers[_ORIG_RAX if self.machine.audit == 0xC000003E else 8]
        return self.machine.numbers.get(number, "")

    def argument(self, at: int) -> int:
        """Return one of its arguments."""
        return int(self.registers[self.machine.arguments[at]])

    def bytes(self, address: int, size: int) -> bytes:
        """Return what stands in its memory."""
        with open(f"/proc/{self.pid}/mem", "rb", buffering=0) as memory:  # noqa: PTH123
            memory.seek(address)
            return memory.read(size) or b""

    def text(self, address: int) -> str:
        """Return the path that stands in its memory."""
        raw = b""
        while b"\0" not in raw:
            here = address + len(raw)
            raw += self.bytes(here, 4096 - here % 4096)
        return os.fsdecode(raw.split(b"\0")[0])

    def opened(self, descriptor: int) -> str:
        """Return the path of an open file."""
        return os.readlink(f"/proc/{self.pid}/fd/{descriptor}")  # noqa: PTH115

    def path(self, folder: int, address: int) -> str:
        """Return the path that a call names, beneath an open folder."""
        folder = ctypes.c_int(folder & 0xFFFFFFFF).value
        base = os.readlink(f"/proc/{self.pid}/cwd") if folder == _AT_FDCWD else self.opened(folder)  # noqa: PTH115
        return os.path.normpath(os.path.join(base, self.text(address)))  # noqa: PTH118

    def fail(self, code: int) -> None:
        """Have the call fail without being made."""
        self.registers[self.machine.result] = (-code) & (2**64 - 1)
        if self.machine.audit == 0xC000003E:
            self.registers[_ORIG_RAX] = 2**64 - 1
        else:
            self._transfer(_SETREGSET, _ARM_CALL, ctypes.c_int(-1))
        self._transfer(_SETREGSET, _PRSTATUS, self.registers)

    def shorten(self) -> None:
        """Have half as much be written as is asked for."""
        at = self.machine.arguments[2]
        self.registers[at] = max(1, self.registers[at] // 2)
        self._transfer(_SETREGSET, _PRSTATUS, self.registers)


# -- calls -------------------------------------------------------------------------------------------------------------


class Tracer:
    """Runs one command.

    Args:
        spec: what is done to it.
        machine: the processor.
    """

    def __init__(self, spec: Spec, machine: Machine) -> None:
        self._spec = spec
        self._machine = machine
        self._fault = FAULTS[spec.fault] if spec.fault else None
        self._counted = 0
        self._dying: set[int] = set()

    def run(self, begin: Callable[[], object]) -> int:
        """Run it to its end, with all its children, and return its exit code; minus the signal that ended it.

        Args:
            begin: called in its new process, which it becomes.
        """
        self._main, ended = self._started(begin), 1
        with Path(self._spec.log).open("w", encoding="utf-8") as self._log:
            for pid, status in _stops():
                if os.WIFSTOPPED(status):
                    self._go_on(pid, status)
                elif pid == self._main:
                    ended = os.waitstatus_to_exitcode(status)
        return ended

    def _started(self, begin: Callable[[], object]) -> int:
        ready, go = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(go)
            if not os.read(ready, 1):
                os._exit(1)  # it may not be traced, and must not run as if it were
            _install_filter(self._machine)
            begin()
        os.close(ready)
        _ptrace(_SEIZE, pid, 0, _OPTIONS)
        os.write(go, b"!")
        os.close(go)
        return pid

    def _go_on(self, pid: int, status: int) -> None:
        number, event = os.WSTOPSIG(status), status >> 16
        request = _CONT
        try:
            if event == _STOPPED_BY_FILTER:
                request = self._before(Stopped(pid, self._machine))
            elif pid in self._dying and number & 0x80:
                os.kill(self._main, signal.SIGKILL)
            handed_on = 0 if event or number & 0x80 or number == signal.SIGTRAP else number
            _ptrace(request, pid, 0, handed_on)
        except ProcessLookupError:
            return  # it was killed meanwhile

    def _before(self, stopped: Stopped) -> int:
        """Look at a call, and do to it what is to be done; return how the thread goes on."""
        try:
            call = self._call(stopped)
        except (FileNotFoundError, ProcessLookupError):
            return _CONT  # a descriptor that is none: the kernel will say so
        if call is None:
            return _CONT
        request = self._strike(stopped, call) if "call" in call else _CONT
        self._log.write(json.dumps(call) + "\n")
        self._log.flush()
        return request

    def _strike(self, stopped: Stopped, call: dict[str, Any]) -> int:
        fault, spec = self._fault, self._spec
        fits = fault is not None and call["call"] in fault.of
        if fits and fault is not None and fault.code == errno.ENOSPC and call["call"] == "open":
            fits = bool(call["flags"] & os.O_CREAT)
        self._counted += fits
        call["fault"] = fits and (self._counted == spec.at or (spec.lasting and self._counted > spec.at))
        if fault is None or not call["fault"]:
            return _CONT
        if fault.short:
            stopped.shorten()
        if fault.code:
            stopped.fail(fault.code)
        if fault.kill and fault.short:
            self._dying.add(stopped.pid)
            return _SYSCALL
        if fault.kill:
            os.kill(self._main, signal.SIGKILL)
        return _CONT

    def _call(self, stopped: Stopped) -> dict[str, Any] | None:
        """Return a call on a file that counts, and what is written to stdout if that is wanted; None for any other."""
        name = stopped.name
        match name:
            case "sync":
                return {"call": name, "path": ""}
            case "sendto":
                counts = self._fault is not None and self._fault.of is SENDING and _process(stopped.pid) != self._main
                return {"call": "send", "path": ""} if counts else None
            case "openat":
                path = self._inside(stopped.path(stopped.argument(0), stopped.argument(1)))
                return path and {"call": "open", **path, "flags": stopped.argument(2) & 0xFFFFFFFF}
            case "mkdirat" | "unlinkat":
                path = self._inside(stopped.path(stopped.argument(0), stopped.argument(1)))
                return path and {"call": name.removesuffix("at"), **path}
            case "mkdir" | "unlink":
                path = self._inside(stopped.path(_AT_FDCWD, stopped.argument(0)))
                return path and {"call": name, **path}
            case "rename" | "renameat" | "renameat2":
                return self._renaming(stopped, (0, 1, 2, 3) if name != "rename" else (None, 0, None, 1))
        path = self._inside(stopped.opened(stopped.argument(0)))
        if path is None:
            said = self._spec.contents and name == "write" and stopped.argument(0) == 1 and stopped.pid == self._main
            return {"said": self._data(stopped)} if said else None
        if name in ("write", "pwrite"):
            at = stopped.argument(3) if name == "pwrite" else _position(stopped)
            data = {"data": self._data(stopped)} if self._spec.contents else {}
            return {"call": name, **path, "at": at, "size": stopped.argument(2), **data}
        return {"call": name, **path, "size": stopped.argument(1)}

    def _renaming(self, stopped: Stopped, at: tuple[int | None, int, int | None, int]) -> dict[str, Any] | None:
        folders = [stopped.argument(one) if one is not None else _AT_FDCWD for one in (at[0], at[2])]
        source = self._inside(stopped.path(folders[0], stopped.argument(at[1])))
        target = self._inside(stopped.path(folders[1], stopped.argument(at[3])))
        return {"call": "rename", **source, "to": target["path"]} if source and target else None

    def _data(self, stopped: Stopped) -> str:
        return base64.b64encode(stopped.bytes(stopped.argument(1), stopped.argument(2))).decode("ascii")

    def _inside(self, path: str) -> dict[str, str] | None:
        if path != self._spec.within and not path.startswith(f"{self._spec.within}/"):
            return None
        inside = path[len(self._spec.within) + 1 :]
        return {"path": inside} if inside.split("/")[0] not in self._spec.besides else None


def _process(thread: int) -> int:
    """Return the process of a thread."""
    told = Path(f"/proc/{thread}/status").read_text("ascii", "replace")
    return int(told.partition("\nTgid:")[2].split(maxsplit=1)[0])


def _position(stopped: Stopped) -> int:
    """Return where the next write to a descriptor goes."""
    descriptor = stopped.argument(0)
    told = Path(f"/proc/{stopped.pid}/fdinfo/{descriptor}").read_text("ascii").split()
    position, flags = int(told[1]), int(told[3], 8)
    return os.stat(f"/proc/{stopped.pid}/fd/{descriptor}").st_size if flags & os.O_APPEND else position  # noqa: PTH116


def _stops() -> Iterator[tuple[int, int]]:
    """Yield the changes of all children until there are none left."""
    while True:
        try:
            yield os.waitpid(-1, _WALL)
        except ChildProcessError:
            return


TRACED = ("test_faults.py", "test_hour_of_faults.py", "test_index_faults.py")
"""The tests in `tests/live` that need a machine on which `can_trace`."""


def can_trace() -> bool:
    """Return whether this machine lets a process trace the system calls of those that it starts."""
    if MACHINE is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        command = [*tracer(Spec(folder, f"{folder}/calls")), sys.executable, "-c", "raise SystemExit(7)"]
        return (
            subprocess.run(command, cwd=Path(__file__).parent.parent, capture_output=True, check=False).returncode == 7
        )


def _main(words: Sequence[str]) -> int:
    assert MACHINE is not None, f"no numbers of system calls are known for {platform.machine()}"
    spec = Spec(**json.loads(Path(words[0]).read_text(encoding="utf-8")))
    ended = Tracer(spec, MACHINE).run(partial(os.execvp, words[1], list(words[1:])))
    return ended if ended >= 0 else 128 - ended


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
