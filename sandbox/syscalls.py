"""The system calls that a worker may make, and the seccomp programs that enforce this.

All other calls are refused. The numbers are the kernel's, with a table for each architecture.
"""

from __future__ import annotations

import platform
import struct
import sys

X86_64 = 0xC000003E
AARCH64 = 0xC00000B7
ARCHITECTURES = {"x86_64": X86_64, "aarch64": AARCH64}

# What a locked-down Python needs to compute, sleep, and use its open pipes. None of these calls opens a file, creates a
# socket, a process or a thread, or names another process.
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

# What Deno also needs: memory, threads, reading files, waiting. None of these calls changes a file, its mode, owner or
# times, names another process, or creates a socket, a queue, a watch, a mount or uncounted memory. The launcher becomes
# Deno through `execve`; any other program that it started would be behind the same wall.
ALLOWED_TO_DENO = {
    X86_64: {
        "stat": 4, "lstat": 6, "mmap": 9, "mprotect": 10, "pread64": 17, "access": 21, "pipe": 22, "msync": 26,
        "mincore": 27, "dup": 32, "dup2": 33, "sendto": 44, "recvfrom": 45, "sendmsg": 46, "recvmsg": 47,
        "shutdown": 48, "getsockname": 51, "getpeername": 52, "setsockopt": 54, "getsockopt": 55, "execve": 59,
        "uname": 63, "getdents": 78, "getcwd": 79, "chdir": 80, "fchdir": 81, "readlink": 89, "umask": 95,
        "getrlimit": 97, "sysinfo": 99, "times": 100, "getuid": 102, "getgid": 104, "geteuid": 107, "getegid": 108,
        "getppid": 110, "getpgrp": 111, "getgroups": 115, "getresuid": 118, "getresgid": 120, "getpgid": 121,
        "getsid": 124, "capget": 125, "rt_sigpending": 127, "rt_sigtimedwait": 128, "statfs": 137, "fstatfs": 138,
        "sched_getparam": 143, "sched_getscheduler": 145, "sched_get_priority_max": 146,
        "sched_get_priority_min": 147, "arch_prctl": 158, "epoll_create": 213, "getdents64": 217,
        "set_tid_address": 218, "fadvise64": 221, "epoll_wait": 232, "epoll_ctl": 233, "newfstatat": 262,
        "readlinkat": 267, "faccessat": 269, "pselect6": 270, "ppoll": 271, "get_robust_list": 274,
        "epoll_pwait": 281, "timerfd_create": 283, "eventfd": 284, "timerfd_settime": 286, "timerfd_gettime": 287,
        "eventfd2": 290, "epoll_create1": 291, "dup3": 292, "pipe2": 293, "preadv": 295, "getcpu": 309,
        "membarrier": 324, "pkey_mprotect": 329, "pkey_alloc": 330, "pkey_free": 331, "statx": 332,
        "close_range": 436, "faccessat2": 439, "epoll_pwait2": 441,
    },
    AARCH64: {
        "getcwd": 17, "eventfd2": 19, "epoll_create1": 20, "epoll_ctl": 21, "epoll_pwait": 22, "dup": 23, "dup3": 24,
        "statfs": 43, "fstatfs": 44, "faccessat": 48, "chdir": 49, "fchdir": 50, "pipe2": 59, "getdents64": 61,
        "pread64": 67, "preadv": 69, "pselect6": 72, "readlinkat": 78, "newfstatat": 79, "timerfd_create": 85,
        "timerfd_settime": 86, "timerfd_gettime": 87, "capget": 90, "set_tid_address": 96, "get_robust_list": 100,
        "sched_getscheduler": 120, "sched_getparam": 121, "sched_get_priority_max": 125,
        "sched_get_priority_min": 126, "rt_sigpending": 136, "rt_sigtimedwait": 137, "getresuid": 148,
        "getresgid": 150, "times": 153, "getpgid": 155, "getsid": 156, "getgroups": 158, "uname": 160,
        "getrlimit": 163, "umask": 166, "getcpu": 168, "getppid": 173, "getuid": 174, "geteuid": 175, "getgid": 176,
        "getegid": 177, "sysinfo": 179, "getsockname": 204, "getpeername": 205, "sendto": 206, "recvfrom": 207,
        "setsockopt": 208, "getsockopt": 209, "shutdown": 210, "sendmsg": 211, "recvmsg": 212, "execve": 221,
        "mmap": 222, "fadvise64": 223, "mprotect": 226, "msync": 227, "mincore": 232, "membarrier": 283,
        "pkey_mprotect": 288, "pkey_alloc": 289, "pkey_free": 290, "statx": 291, "close_range": 436,
        "faccessat2": 439, "epoll_pwait2": 441,
    },
}  # fmt: skip
CLOSE = {X86_64: 3, AARCH64: 57}  # the native worker may not close the pipes to the host
# Calls that depend on an argument: `open` (not on aarch64), openat, fcntl, ioctl, prctl, prlimit64, clone, socketpair.
CONDITIONAL = {X86_64: (2, 257, 72, 16, 157, 302, 56, 53), AARCH64: (None, 56, 25, 29, 167, 261, 220, 199)}
FIRST_NEW_CALL = 424  # these are the same on all architectures, and libraries work without them

_TO_WRITE = 0o1 | 0o2 | 0o100 | 0o1000  # O_WRONLY, O_RDWR, O_CREAT, O_TRUNC
_NO_STREAM = 0xE  # bits of the types other than SOCK_STREAM, which can send to any name
_CLONE_THREAD = 0x10000
_NEW_NAMESPACES = 0x7E020080
# Duplicates, flags and locks, but no owner, signal, lease, seal or size of a pipe.
_FCNTL = (0, 1, 2, 3, 4, 5, 6, 7, 1030)
_IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX
_PRCTL = (15, 16, 0x53564D41)  # PR_SET_NAME, PR_GET_NAME, PR_SET_VMA
_SELF = (0,)
MOUNT_SETATTR = 442
LANDLOCK_CREATE = 444
LANDLOCK_ADD = 445
LANDLOCK_RESTRICT = 446

# --- the programs -----------------------------------------------------------------------------------------------------

# Operations of the filter's machine, as linux/bpf_common.h numbers them.
_LOAD = 0x20
_EQUAL = 0x15
_AT_LEAST = 0x35
_ANY_BIT = 0x45
_RETURN = 0x06

# Verdicts, as linux/seccomp.h numbers them.
_ALLOW = 0x7FFF0000
_KILL = 0x80000000
_ERRNO = 0x00050000

_EPERM = 1
_ENOSYS = 38
_PROT_EXEC = 4
_X32_BIT = 0x40000000


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)


_PERMIT = _instruction(_RETURN, _ALLOW)
_REFUSE = _instruction(_RETURN, _ERRNO | _EPERM)


def _on_call(number: int, body: bytes) -> bytes:
    """Apply the body, which ends in a verdict, to one call; other calls continue after it."""
    return _instruction(_EQUAL, number, 0, len(body) // 8) + body


def _argument(number: int) -> bytes:
    """Load the low half of an argument (little endian). The kernel reads only this half of the arguments used here."""
    return _instruction(_LOAD, 16 + 8 * number)


def _none_of(argument: int, bits: int) -> bytes:
    """Permit the call if none of these bits is set."""
    return _argument(argument) + _instruction(_ANY_BIT, bits, 0, 1) + _REFUSE + _PERMIT


def _one_of(argument: int, values: tuple[int, ...]) -> bytes:
    """Permit the call if the argument is one of these values."""
    return _argument(argument) + b"".join(_on_call(value, _PERMIT) for value in values) + _REFUSE


def _architecture_guard(architecture: int) -> bytes:
    """Kill the process on a call through another architecture's table, where the numbers mean other calls."""
    program = _instruction(_LOAD, 4) + _instruction(_EQUAL, architecture, 1, 0) + _instruction(_RETURN, _KILL)
    program += _instruction(_LOAD, 0)
    if architecture == X86_64:
        program += _instruction(_AT_LEAST, _X32_BIT, 0, 1) + _instruction(_RETURN, _KILL)
    return program


def native_program(architecture: int) -> bytes:
    """Return the filter of the native worker, whose files are open and whose modules are loaded."""
    program = _architecture_guard(architecture)
    program += _on_call(CLOSE[architecture], _argument(0) + _instruction(_AT_LEAST, 3, 1, 0) + _REFUSE + _PERMIT)
    for number in ALLOWED[architecture].values():
        program += _on_call(number, _PERMIT)
    for number in MAPPING_CALLS[architecture]:
        program += _on_call(number, _none_of(2, _PROT_EXEC))
    return program + _REFUSE


def deno_program(architecture: int) -> bytes:
    """Return the filter of Deno, which reads files, makes memory executable and starts threads, but no process."""
    open_, openat, fcntl, ioctl, prctl, prlimit64, clone, socketpair = CONDITIONAL[architecture]
    program = _architecture_guard(architecture)
    for number in (ALLOWED[architecture] | ALLOWED_TO_DENO[architecture]).values():
        program += _on_call(number, _PERMIT)
    thread = _argument(0) + _instruction(_ANY_BIT, _CLONE_THREAD, 1, 0) + _REFUSE + _none_of(0, _NEW_NAMESPACES)
    for call, body in (
        (open_, _none_of(1, _TO_WRITE)),
        (openat, _none_of(2, _TO_WRITE)),
        (fcntl, _one_of(1, _FCNTL)),
        (ioctl, _one_of(1, _IOCTL)),
        (prctl, _one_of(0, _PRCTL)),
        (prlimit64, _one_of(0, _SELF)),
        (clone, thread),
        (socketpair, _none_of(1, _NO_STREAM)),
    ):
        program += b"" if call is None else _on_call(call, body)
    # With ENOSYS a library falls back, such as from clone3 to clone, whose flags a filter can read.
    program += _instruction(_AT_LEAST, FIRST_NEW_CALL, 0, 1) + _instruction(_RETURN, _ERRNO | _ENOSYS)
    return program + _REFUSE


def architecture() -> int | None:
    """Return the seccomp number of this machine's architecture; None if there is no table for it."""
    return ARCHITECTURES.get(platform.machine()) if sys.platform == "linux" else None
