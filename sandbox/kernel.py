"""Locks the current Linux process down for good, with namespaces, Landlock, seccomp and resource limits.

Run as a script (`python -I -S kernel.py ...`) it raises the wall around Deno and becomes Deno. It is also sent to the
native worker as source, so it imports nothing but the standard library.
"""

from __future__ import annotations

import json
import os
import platform
import stat
import struct
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence

try:
    import ctypes
    import resource

    LIBC: ctypes.CDLL | None = ctypes.CDLL(None, use_errno=True)
except (ImportError, OSError, TypeError):  # a Python without ctypes, or not Linux
    LIBC = None

# --- system call numbers: the field's own names, one table for each architecture -----------------------------------

X86_64 = 0xC000003E
AARCH64 = 0xC00000B7
ARCHITECTURES = {"x86_64": X86_64, "aarch64": AARCH64}

# What a locked-down Python needs to compute, sleep, and talk over pipes that are open already. Nothing opens a file,
# makes a socket, a process or a thread, or names another process.
ALLOWED = {
    X86_64: {
        "read": 0, "write": 1, "close": 3, "fstat": 5, "poll": 7, "lseek": 8, "munmap": 11, "brk": 12,
        "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15, "readv": 19, "writev": 20, "select": 23,
        "sched_yield": 24, "mremap": 25, "madvise": 28, "nanosleep": 35, "getpid": 39, "exit": 60,
        "gettimeofday": 96, "getrusage": 98, "sigaltstack": 131, "gettid": 186, "futex": 202,
        "sched_getaffinity": 204, "restart_syscall": 219, "clock_gettime": 228, "clock_getres": 229,
        "clock_nanosleep": 230, "exit_group": 231, "set_robust_list": 273, "getrandom": 318, "rseq": 334,
    },
    AARCH64: {
        "close": 57, "lseek": 62, "read": 63, "write": 64, "readv": 65, "writev": 66, "ppoll": 73, "fstat": 80,
        "exit": 93, "exit_group": 94, "futex": 98, "set_robust_list": 99, "nanosleep": 101, "clock_gettime": 113,
        "clock_getres": 114, "clock_nanosleep": 115, "sched_getaffinity": 123, "sched_yield": 124,
        "restart_syscall": 128, "sigaltstack": 132, "rt_sigaction": 134, "rt_sigprocmask": 135, "rt_sigreturn": 139,
        "getrusage": 165, "gettimeofday": 169, "getpid": 172, "gettid": 178, "brk": 214, "munmap": 215, "mremap": 216,
        "madvise": 233, "getrandom": 278, "rseq": 293,
    },
}  # fmt: skip
MAPPING_CALLS = {X86_64: (9, 10), AARCH64: (222, 226)}  # mmap, mprotect: allowed without PROT_EXEC

# What Deno never needs once it runs: networks, signals, other processes, kernel doors, links, device files. A process
# cannot be forked either (`clone` without CLONE_THREAD); `execve` stays, because the launcher becomes Deno with it.
DENIED = {
    X86_64: {
        "socket": 41, "connect": 42, "accept": 43, "bind": 49, "listen": 50, "fork": 57, "vfork": 58, "kill": 62,
        "link": 86, "symlink": 88, "ptrace": 101, "rt_sigqueueinfo": 129, "mknod": 133, "pivot_root": 155,
        "chroot": 161, "acct": 163, "mount": 165, "umount2": 166, "swapon": 167, "reboot": 169, "init_module": 175,
        "tkill": 200, "tgkill": 234, "kexec_load": 246, "add_key": 248, "request_key": 249, "keyctl": 250,
        "mknodat": 259, "linkat": 265, "symlinkat": 266, "unshare": 272, "accept4": 288, "perf_event_open": 298,
        "name_to_handle_at": 303, "open_by_handle_at": 304, "setns": 308, "process_vm_readv": 310,
        "process_vm_writev": 311, "finit_module": 313, "bpf": 321, "execveat": 322, "userfaultfd": 323,
        "pidfd_send_signal": 424, "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427,
        "pidfd_open": 434, "pidfd_getfd": 438,
    },
    AARCH64: {
        "mknodat": 33, "symlinkat": 36, "linkat": 37, "umount2": 39, "mount": 40, "pivot_root": 41, "chroot": 51,
        "acct": 89, "unshare": 97, "kexec_load": 104, "init_module": 105, "ptrace": 117, "kill": 129, "tkill": 130,
        "tgkill": 131, "rt_sigqueueinfo": 138, "reboot": 142, "socket": 198, "bind": 200, "listen": 201,
        "accept": 202, "connect": 203, "add_key": 217, "request_key": 218, "keyctl": 219, "swapon": 224,
        "perf_event_open": 241, "accept4": 242, "name_to_handle_at": 264, "open_by_handle_at": 265, "setns": 268,
        "process_vm_readv": 270, "process_vm_writev": 271, "finit_module": 273, "bpf": 280, "execveat": 281,
        "userfaultfd": 282, "pidfd_send_signal": 424, "io_uring_setup": 425, "io_uring_enter": 426,
        "io_uring_register": 427, "pidfd_open": 434, "pidfd_getfd": 438,
    },
}  # fmt: skip
CLONE = {X86_64: 56, AARCH64: 220}
CLONE3 = 435
LANDLOCK_CREATE, LANDLOCK_ADD, LANDLOCK_RESTRICT = 444, 445, 446

# --- seccomp ---------------------------------------------------------------------------------------------------------

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_EPERM, _ENOSYS = 1, 38
_ARGUMENT_0, _ARGUMENT_2 = 16, 32  # offsets in seccomp_data of the low half of an argument (little endian)
_PROT_EXEC, _CLONE_THREAD, _X32_BIT = 4, 0x10000, 0x40000000


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)


def _verdict_for(number: int, verdict: int) -> bytes:
    return _instruction(_EQUAL, number, 0, 1) + _instruction(_RETURN, verdict)


def _architecture_guard(architecture: int) -> bytes:
    """Kill a call made through another architecture's table, where the numbers mean other things."""
    program = _instruction(_LOAD, 4) + _instruction(_EQUAL, architecture, 1, 0) + _instruction(_RETURN, _KILL)
    program += _instruction(_LOAD, 0)
    if architecture == X86_64:
        program += _instruction(_AT_LEAST, _X32_BIT, 0, 1) + _instruction(_RETURN, _KILL)
    return program


def allow_list(architecture: int) -> bytes:
    """Program for the native worker: what is not named is refused with EPERM."""
    program = _architecture_guard(architecture)
    for number in ALLOWED[architecture].values():
        program += _verdict_for(number, _ALLOW)
    for number in MAPPING_CALLS[architecture]:
        program += _instruction(_EQUAL, number, 0, 4)
        program += _instruction(_LOAD, _ARGUMENT_2) + _instruction(_ANY_BIT, _PROT_EXEC, 0, 1)
        program += _instruction(_RETURN, _ERRNO | _EPERM) + _instruction(_RETURN, _ALLOW)
    return program + _instruction(_RETURN, _ERRNO | _EPERM)


def deny_list(architecture: int) -> bytes:
    """Program for Deno: what is named is refused with EPERM, threads may start, processes may not."""
    program = _architecture_guard(architecture)
    for number in DENIED[architecture].values():
        program += _verdict_for(number, _ERRNO | _EPERM)
    # The flags of clone3 are in memory, out of a filter's reach; told that there is none, libc falls back to clone.
    program += _verdict_for(CLONE3, _ERRNO | _ENOSYS)
    program += _instruction(_EQUAL, CLONE[architecture], 0, 4)
    program += _instruction(_LOAD, _ARGUMENT_0) + _instruction(_ANY_BIT, _CLONE_THREAD, 1, 0)
    program += _instruction(_RETURN, _ERRNO | _EPERM) + _instruction(_RETURN, _ALLOW)
    return program + _instruction(_RETURN, _ALLOW)


def install_seccomp(program: bytes) -> bool:
    """Install the filter for this process and all that it becomes; False if the kernel refuses."""
    if LIBC is None:
        return False
    buffer = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(buffer))
    return int(LIBC.prctl(22, 2, ctypes.c_char_p(header), 0, 0)) == 0  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER


def architecture() -> int | None:
    """The seccomp number of this machine's architecture; None if there is no table for it."""
    return ARCHITECTURES.get(platform.machine()) if sys.platform == "linux" else None


# --- Landlock, namespaces, limits ------------------------------------------------------------------------------------

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR, _TRUNCATE, _IOCTL = 1, 1 << 1, 1 << 2, 1 << 3, 1 << 14, 1 << 15


def restrict_paths(read: Iterable[str], write: Iterable[str]) -> int:
    """Refuse every path but those below `read` (read, execute) and `write` (all but execute); TCP too where known.

    Returns the ABI version that is in force, 0 if the kernel has no Landlock.
    """
    if LIBC is None:
        return 0
    abi = int(LIBC.syscall(LANDLOCK_CREATE, None, 0, 1))
    if abi < 1:
        return 0
    rights = (1 << 13) - 1
    for version, right in ((2, 1 << 13), (3, _TRUNCATE), (5, _IOCTL)):
        rights |= right if abi >= version else 0
    # Handled: file rights; binding and connecting TCP; abstract sockets and signals to the outside.
    attributes = struct.pack("QQQ", rights, 3 if abi >= 4 else 0, 3 if abi >= 6 else 0)
    ruleset = int(LIBC.syscall(LANDLOCK_CREATE, attributes, 24 if abi >= 6 else 16 if abi >= 4 else 8, 0))
    if ruleset < 0:
        return 0
    for path in read:
        _permit_path(ruleset, path, _EXECUTE | _READ_FILE | _READ_DIR)
    for path in write:
        _permit_path(ruleset, path, rights & ~_EXECUTE)
    forbid_new_privileges()
    refused = int(LIBC.syscall(LANDLOCK_RESTRICT, ruleset, 0))
    os.close(ruleset)
    return abi if refused == 0 else 0


def _permit_path(ruleset: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # not on this machine
    if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
        rights &= _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL
    if LIBC is not None:
        LIBC.syscall(LANDLOCK_ADD, ruleset, 1, struct.pack("=Qi", rights, descriptor), 0)
    os.close(descriptor)


def enter_namespaces() -> bool:
    """Move into empty user, network and IPC namespaces, if that is allowed here."""
    return LIBC is not None and int(LIBC.unshare(0x10000000 | 0x40000000 | 0x08000000)) == 0


def forbid_new_privileges() -> None:
    """No program this process runs can gain rights; Landlock and seccomp ask for it."""
    if LIBC is not None:
        LIBC.prctl(38, 1, 0, 0, 0)


def end_with_parent(parent: int) -> None:
    """Ask the kernel to end this process with its parent, whose process id is `parent`."""
    if LIBC is not None:
        LIBC.prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG, SIGKILL
    if os.getppid() != parent:  # it ended before the line above
        os._exit(1)


def set_resource_limits(limits: Mapping[str, int]) -> None:
    """Set soft and hard resource limits by their short names, such as "nofile"."""
    for name, value in limits.items():
        try:
            resource.setrlimit(getattr(resource, f"RLIMIT_{name.upper()}"), (value, value))
        except (AttributeError, OSError, ValueError):
            pass  # not known here, or the limit is lower already


def isolate_process(
    parent: int, program: Callable[[int], bytes], limits: Mapping[str, int], read: Iterable[str], write: Iterable[str]
) -> dict[str, bool | int]:
    """Raise every wall this kernel has around the current process; says which ones hold.

    `program` gives the seccomp filter for an architecture, `limits` the resource limits by their short names.
    """
    walls: dict[str, bool | int] = {"network namespace": enter_namespaces()}
    end_with_parent(parent)  # after the namespaces: a change of credentials would clear it
    forbid_new_privileges()
    walls["landlock"] = restrict_paths(read, write)
    set_resource_limits(limits)
    machine = architecture()
    walls["seccomp"] = machine is not None and install_seccomp(program(machine))
    return walls


# --- the wall around Deno --------------------------------------------------------------------------------------------

SYSTEM_LIBRARIES = (
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/nix/store", "/etc/ld.so.cache", "/dev/null", "/dev/urandom",
    "/proc/self", "/proc/meminfo", "/proc/stat", "/proc/cpuinfo", "/sys/fs/cgroup", "/sys/devices/system/cpu",
)  # fmt: skip
DENO_LIMITS = {"core": 0, "nofile": 256, "fsize": 16 << 20}


def main(argv: Sequence[str]) -> None:
    """argv: the parent's process id, the scratch folder, then Deno's readable paths, "--", and Deno's command line."""
    cut = argv.index("--")
    read = (*argv[2:cut], *SYSTEM_LIBRARIES)
    walls = isolate_process(int(argv[0]), deny_list, DENO_LIMITS, read=read, write=[argv[1]])
    text = json.dumps({"op": "walls", "walls": walls}).encode()
    os.write(1, struct.pack("!IQ", len(text), 0) + text)
    command = argv[cut + 1 :]
    os.execv(command[0], list(command))


if __name__ == "__main__":
    main(sys.argv[1:])
