# ruff: noqa: E501 - a row of a table is a line
"""What a process behind one wall of the kernel may try on the machine itself; run as a program.

It becomes the user that it is told, raises the one wall around itself and no other, tries every door, and prints as
JSON those that were open. The numbers of system calls are those of x86_64.
"""

from __future__ import annotations

import ctypes
import fcntl  # noqa: F401 - the doors use it
import json
import os
import resource  # noqa: F401
import socket
import struct
import sys
from pathlib import Path
from typing import Any

from sandbox import kernel, syscalls
from sandbox.deno.launcher import SYSTEM_PATHS

LIBC = ctypes.CDLL(None, use_errno=True)
PIPE, _ = os.pipe()
PAIR, _KEPT = socket.socketpair()
B = bytes(128)
WORD = ctypes.create_string_buffer(8)
IOV = struct.pack("QQ", ctypes.addressof(WORD), 8)

# The walls each of which must keep a door shut alone, s(eccomp), l(andlock), private r(oot), n(amespaces), c(apabilities),
# and what opens it. `@` is the secret file, `%` a process of the same user, `$` the folder that the worker may read.
DOORS: dict[str, tuple[str, str]] = {
    "read a file": ("lr", "Path('@').read_text()"),
    "list a folder": ("lr", "os.listdir(os.path.dirname('@'))"),
    "stat a file": ("r", "os.stat('@')"),
    "write a file": ("slr", "Path('@').write_text('x')"),
    "append with O_RDWR": ("slr", "os.close(os.open('@', os.O_RDWR))"),
    "make a file": ("slr", "Path('@-2').touch()"),
    "make a file with creat": ("slr", "call(85, b'@-3', 0o600)"),
    "make a file with openat2": ("slr", "call(437, -100, b'@-4', struct.pack('QQQ', os.O_CREAT | os.O_WRONLY, 0o600, 0), 24)"),
    "change a mode": ("sr", "os.chmod('@', 0o640)"),
    "change a mode by fchmodat2": ("sr", "call(452, -100, b'@', 0o640, 0)"),
    "change an owner": ("sr", "os.chown('@', os.getuid(), os.getgid())"),
    "change times": ("sr", "os.utime('@', (1, 1))"),
    "change times with utimensat": ("sr", "call(280, -100, b'@', 0, 0)"),
    "set an attribute": ("sr", "os.setxattr('@', 'user.x', b'y')"),
    "cut a file": ("slr", "os.truncate('@', 0)"),
    "rename": ("slr", "os.rename('@', '@')"),
    "make a folder": ("slr", "os.mkdir('@-dir')"),
    "make a pipe by name": ("slr", "os.mkfifo('@-fifo')"),
    "make a link": ("slr", "os.link('@', '@-link')"),
    "make a symbolic link": ("slr", "os.symlink('@', '@-symlink')"),
    "fill the scratch folder": ("slr", "[Path('$', f'{n}').write_bytes(bytes(1 << 16)) for n in range(64)]"),
    "see another's environment": ("lr", "Path('/proc/%/environ').read_bytes()"),
    "signal a process": ("s", "os.kill(%, 0)"),
    "signal a thread": ("s", "call(234, %, %, 0)"),
    "signal with tkill": ("s", "call(200, %, 0)"),
    "queue a signal": ("s", "call(129, %, 18, struct.pack('iii', 18, 0, -1) + B)"),
    "queue a signal for a thread": ("s", "call(297, %, %, 18, struct.pack('iii', 18, 0, -1) + B)"),
    "open a process": ("s", "call(434, %, 0)"),
    "signals of a descriptor's own": ("s", "fcntl.fcntl(PIPE, fcntl.F_SETOWN, %)"),
    "another signal of a descriptor": ("s", "fcntl.fcntl(PIPE, 10, 9)"),
    "owner of a descriptor by F_SETOWN_EX": ("s", "fcntl.fcntl(PIPE, 15, struct.pack('ii', 1, %))"),
    "owner of a descriptor by FIOSETOWN": ("s", "fcntl.ioctl(PAIR, 0x8901, struct.pack('i', %))"),
    "a pipe of a megabyte": ("s", "fcntl.fcntl(PIPE, 1031, 1 << 20)"),
    "limits of a process": ("s", "resource.prlimit(%, resource.RLIMIT_NOFILE, (100, 100))"),
    "processors of a process": ("s", "os.sched_setaffinity(%, os.sched_getaffinity(0))"),
    "scheduling of a process": ("s", "os.sched_setscheduler(%, os.SCHED_BATCH, os.sched_param(0))"),
    "scheduling by sched_setattr": ("s", "call(314, %, struct.pack('IIQiIQQQ', 48, 3, 0, 0, 0, 0, 0, 0), 0)"),
    "priority of a process": ("s", "os.setpriority(os.PRIO_PROCESS, %, 5)"),
    "disk priority of a process": ("s", "call(251, 1, %, 2 << 13 | 7)"),
    "read another's memory": ("s", "call(310, %, IOV, 1, IOV, 0, 0)"),
    "write another's memory": ("s", "call(311, %, IOV, 0, IOV, 0, 0)"),
    "group of a process": ("s", "os.setpgid(0, 0)"),
    "outlive the parent": ("s", "call(157, 1, 0, 0, 0, 0)"),
    "be a parent of orphans": ("s", "call(157, 36, 1, 0, 0, 0)"),
    "be traced by anybody": ("s", "call(157, 0x59616d61, -1, 0, 0, 0)"),
    "connect": ("sn", "socket.socket().connect(('127.0.0.1', PORT))"),
    "connect to an abstract socket": ("sn", "socket.socket(socket.AF_UNIX).connect(chr(0) + SOCKET)"),
    "send a datagram from a pair": ("s", "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)"),
    "listen": ("s", "socket.create_server(('127.0.0.1', 0)).close()"),
    "raw packets": ("s", "socket.socket(socket.AF_UNIX, socket.SOCK_RAW).close()"),
    "a process": ("s", "fork()"),
    "a process by its number": ("s", "call_and_exit(57)"),
    "a process by clone3": ("s", "call_and_exit(435, struct.pack('5Q', 0, 0, 0, 0, 17) + B[:48], 88)"),
    "memory that is a file": ("s", "os.memfd_create('x')"),
    "memory that is secret": ("s", "call(447, 0)"),
    "System V memory": ("s", "call(31, call(29, 0, 4096, 0o600 | 0o1000), 0, 0)"),
    "a System V queue": ("s", "call(71, call(68, 0, 0o600 | 0o1000), 0, 0)"),
    "System V semaphores": ("s", "call(66, call(64, 0, 1, 0o600 | 0o1000), 0, 0, 0)"),
    "a POSIX queue": ("s", "call(240, b'ralph-door', os.O_CREAT | os.O_RDWR, 0o600, 0), call(241, b'ralph-door')"),
    "watch files": ("s", "call(294, 0)"),
    "a key": ("s", "call(248, b'user', b'ralph', b'x', 1, -2)"),
    "ask for a key": ("s", "call(250, 0, -3, 0)"),
    "io_uring": ("s", "call(425, 4, B)"),
    "a fault handler": ("s", "call(323, 1)"),
    "counters of the processor": ("s", "call(298, struct.pack('IIQ', 1, 112, 0) + B, 0, -1, -1, 0)"),
    "a file system": ("s", "call(430, b'tmpfs', 0)"),
    "the tree of mounts": ("s", "call(428, -100, b'/', 1)"),
    "the host's name": ("sc", "socket.sethostname(socket.gethostname())"),
    "mount": ("slc", "call(165, b'none', b'$', b'tmpfs', 0, 0), call(166, b'$', 2)"),
    "change the root": ("sc", "os.chroot('/')"),
    "become another user": ("s", "os.setresuid(-1, -1, -1)"),
    "a filter of one's own": ("s", "call(317, 2, 0, struct.pack('I', 0x7FFF0000))"),
    "a ruleset of one's own": ("s", "call(444, 0, 0, 1)"),
    "what kcmp compares": ("s", "call(312, os.getpid(), %, 2, 0, 0)"),
    "new namespaces": ("s", "call(272, 0x10000000)"),
}  # fmt: skip


def call(number: int, *arguments: Any) -> int:
    found = int(LIBC.syscall(number, *arguments))
    if found < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return found


def fork() -> None:
    if (pid := os.fork()) == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def call_and_exit(number: int, *arguments: Any) -> None:
    pid = call(number, *arguments)
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def raise_wall(wall: str, scratch: str) -> bool:
    """Raise one wall, and what it rests on; whether it is there."""
    match wall:
        case "seccomp":
            kernel.forbid_new_privileges()
            machine = syscalls.architecture()
            return machine is not None and kernel.install_seccomp(syscalls.deno_program(machine))
        case "landlock":
            return kernel.restrict_paths([*SYSTEM_PATHS, scratch]) > 0
        case "namespaces":
            return kernel.enter_namespaces()
        case "root":
            Path(scratch, "root").mkdir(exist_ok=True)
            paths = [*SYSTEM_PATHS, scratch]
            held = kernel.enter_namespaces() and kernel.enter_private_root(f"{scratch}/root", paths)
            kernel.drop_capabilities()  # else it could be mounted anew
            return held
        case "capabilities":
            kernel.drop_capabilities()
    return True


def main(order: dict[str, Any]) -> None:
    if order["user"]:
        os.setgroups([])
        os.setgid(order["user"])
        os.setuid(order["user"])
        LIBC.prctl(4, 1, 0, 0, 0)  # a change of user hides what is in /proc from the process itself
    globals().update(PORT=order["port"], SOCKET=order["socket"])
    held = raise_wall(order["wall"], order["scratch"])
    words = {"@": order["secret"], "$": order["scratch"], "%": str(order["victim"])}
    found = []
    for name, (_, code) in DOORS.items():
        for mark, word in words.items():
            code = code.replace(mark, word)
        try:
            exec(code, globals())
        except (OSError, ValueError, AttributeError):
            continue
        found.append(name)
    print(json.dumps({"held": held, "open": found}))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
