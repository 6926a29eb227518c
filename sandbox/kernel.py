"""Locks the current Linux process down with namespaces, Landlock, seccomp and resource limits.

It is sent to the native worker as source, so it imports only the standard library and `sandbox.syscalls`.
"""

from __future__ import annotations

import os
import stat
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from sandbox.syscalls import LANDLOCK_ADD, LANDLOCK_CREATE, LANDLOCK_RESTRICT, MOUNT_SETATTR, architecture

try:
    import ctypes
    import resource

    LIBC: ctypes.CDLL | None = ctypes.CDLL(None, use_errno=True)
except (ImportError, OSError, TypeError):  # a Python without ctypes, or not Linux
    LIBC = None

Walls = dict[str, bool | int]


def return_freed_memory(above: int) -> None:
    """Make glibc return freed memory above this many bytes to the system. It would keep up to 64 MB for each thread."""
    adjust = getattr(LIBC, "mallopt", None)
    if adjust is not None:
        adjust(-1, above)  # M_TRIM_THRESHOLD
        adjust(-8, 1)  # M_ARENA_MAX


def install_seccomp(program: bytes) -> bool:
    """Install the filter for this process and its successors. Return False if the kernel refuses."""
    if LIBC is None:
        return False
    buffer = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(buffer))
    return int(LIBC.prctl(22, 2, ctypes.c_char_p(header), 0, 0)) == 0  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER


# Rights of Landlock, as linux/landlock.h numbers them.
_EXECUTE = 1
_READ_FILE = 1 << 2
_READ_DIR = 1 << 3
_REFER = 1 << 13
_TRUNCATE = 1 << 14
_IOCTL = 1 << 15


def restrict_paths(read: Iterable[str]) -> int:
    """Refuse every path except those below `read`, which can be read and executed. Also refuse TCP, where supported.

    Returns the ABI version in force, 0 if the kernel has no Landlock.
    """
    if LIBC is None:
        return 0
    abi = int(LIBC.syscall(LANDLOCK_CREATE, None, 0, 1))
    if abi < 1:
        return 0
    rights = (1 << 13) - 1
    for version, right in ((2, _REFER), (3, _TRUNCATE), (5, _IOCTL)):
        rights |= right if abi >= version else 0
    # The three fields: rights on files; binding and connecting TCP; abstract sockets and signals to the outside.
    attributes = struct.pack("QQQ", rights, 3 if abi >= 4 else 0, 3 if abi >= 6 else 0)
    ruleset = int(LIBC.syscall(LANDLOCK_CREATE, attributes, 24 if abi >= 6 else 16 if abi >= 4 else 8, 0))
    if ruleset < 0:
        return 0
    for path in read:
        _permit_path(ruleset, path, _EXECUTE | _READ_FILE | _READ_DIR)
    forbid_new_privileges()
    refused = int(LIBC.syscall(LANDLOCK_RESTRICT, ruleset, 0))
    os.close(ruleset)
    return abi if refused == 0 else 0


def _permit_path(ruleset: int, path: str, rights: int) -> None:
    descriptor = _open_path(path)
    if descriptor is None:
        return
    if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
        rights &= _EXECUTE | _READ_FILE
    if LIBC is not None:
        LIBC.syscall(LANDLOCK_ADD, ruleset, 1, struct.pack("=Qi", rights, descriptor), 0)
    os.close(descriptor)


# Flags of namespaces, as linux/sched.h numbers them.
_NEW_MOUNTS = 1 << 17
_NEW_NAMES = 1 << 26
_NEW_IPC = 1 << 27
_NEW_USER = 1 << 28
_NEW_NETWORK = 1 << 30

# Flags of mounts, as linux/mount.h numbers them.
_NO_SETUID = 2
_NO_DEVICES = 4
_BIND = 1 << 12
_RECURSIVE = 1 << 14
_PRIVATE = 1 << 18
_DETACH = 2

NEUTRAL_ID = 1000  # the user and group that the process sees, whoever runs it


def enter_namespaces() -> bool:
    """Move into empty user, network, IPC, host name and mount namespaces. Return False if that is not allowed."""
    user, group = os.getuid(), os.getgid()
    flags = _NEW_USER | _NEW_NETWORK | _NEW_IPC | _NEW_NAMES | _NEW_MOUNTS
    if LIBC is None or LIBC.unshare(flags) != 0:
        return False
    try:  # without a mapping no file can be created, not even in a new file system
        for name, text in (
            ("setgroups", b"deny"),
            ("uid_map", b"%d %d 1" % (NEUTRAL_ID, user)),
            ("gid_map", b"%d %d 1" % (NEUTRAL_ID, group)),
        ):
            with open(f"/proc/self/{name}", "wb", buffering=0) as file:
                file.write(text)
    except OSError:
        pass  # the namespaces work without it
    return True


def enter_private_root(folder: str, paths: Iterable[str]) -> bool:
    """Make a read-only root of only these paths, mounted on `folder`; all other paths disappear.

    Returns False, and changes nothing, if mounting is not allowed.
    """
    here = Path.cwd()
    if LIBC is None or LIBC.mount(None, b"/", None, _RECURSIVE | _PRIVATE, None) != 0:
        return False
    sources = [(path, source) for path in paths if (source := _open_path(path)) is not None]
    if LIBC.mount(b"none", folder.encode(), b"tmpfs", _NO_SETUID | _NO_DEVICES, b"size=256k,nr_inodes=256") != 0:
        return False
    try:
        for path, source in sources:
            _bind(source, Path(folder + path))
            os.close(source)
        read_only = struct.pack("QQQQ", 1 | _NO_SETUID, 0, 0, 0)
        if LIBC.syscall(MOUNT_SETATTR, -100, folder.encode(), 0x8000, read_only, len(read_only)) != 0:
            raise OSError("it stays writable")
        os.chroot(folder)
    except OSError:
        LIBC.umount2(folder.encode(), _DETACH)
        return False
    os.chdir(here if here.is_dir() else "/")
    return True


def _open_path(path: str) -> int | None:
    try:
        return os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return None  # not on this machine


def _bind(source: int, target: Path) -> None:
    """Mount what the descriptor `source` refers to at `target`."""
    if target.exists():
        return  # it is below a mounted folder
    target.parent.mkdir(parents=True, exist_ok=True)
    if stat.S_ISDIR(os.fstat(source).st_mode):
        target.mkdir()
    else:
        target.touch()
    assert LIBC is not None
    if LIBC.mount(f"/proc/self/fd/{source}".encode(), bytes(target), None, _BIND | _RECURSIVE, None) != 0:
        raise OSError(f"{target} cannot be mounted")


def drop_capabilities() -> None:
    """Give up all privileges of root over processes, files and mounts."""
    if LIBC is not None:
        LIBC.capset(struct.pack("Ii", 0x20080522, 0), bytes(24))


def forbid_new_privileges() -> None:
    """Let no program of this process gain privileges, as Landlock and seccomp require."""
    if LIBC is not None:
        LIBC.prctl(38, 1, 0, 0, 0)


def end_with_parent(parent: int) -> None:
    """Ask the kernel to kill this process when its parent ends, whose process id is `parent`."""
    if LIBC is not None:
        LIBC.prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG, SIGKILL
    if os.getppid() != parent:  # the parent ended before the line above
        os._exit(1)


def set_resource_limits(limits: Mapping[str, int]) -> None:
    """Set soft and hard resource limits by their short names, such as "nofile"."""
    for name, value in limits.items():
        try:
            resource.setrlimit(getattr(resource, f"RLIMIT_{name.upper()}"), (value, value))
        except (AttributeError, OSError, ValueError):
            pass  # unknown here, or the limit is already lower


def isolate_process(
    parent: int,
    program: Callable[[int], bytes],
    limits: Mapping[str, int],
    *,
    read: Sequence[str] = (),
    root: str | None = None,
) -> Walls:
    """Raise every wall that this kernel has around the current process; return which ones are active.

    `program` returns the seccomp filter for an architecture. `limits` are resource limits by their short names, `read`
    are the readable paths, and `root` is a folder on which a private root can be mounted.
    """
    walls: Walls = {"namespaces": enter_namespaces()}
    if root is not None:
        walls["private root"] = bool(walls["namespaces"]) and enter_private_root(root, read)
    forbid_new_privileges()
    walls["landlock"] = restrict_paths(read)
    set_resource_limits(limits)
    drop_capabilities()
    end_with_parent(parent)  # after the namespaces, because a change of credentials would clear it
    machine = architecture()
    walls["seccomp"] = machine is not None and install_seccomp(program(machine))
    return walls
