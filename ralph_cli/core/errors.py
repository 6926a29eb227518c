"""Everything ralph raises on purpose; anything else that escapes is a bug.

* RalphError                 one line for a person, a stable code for a program, a hint what to do
  - UserError                  the person at the keyboard can fix it                          exit 1
    + ConfigError                unknown setting, missing key, impossible limit
    + DocumentError              unreadable, encrypted, empty, too big (see `documents.source`)
  - ProviderError              a model service failed; `.retryable` says if waiting helps      exit 1
  - EngineError                no sandbox engine can run, or it broke beyond replacement       exit 1
  - JournalError               the run's record cannot be written or read                     exit 1
  - LimitExceeded              a budget ran out; caught once, in the outer loop                exit 4
"""

from json import JSONDecodeError


def describe_fault(error: OSError | ValueError | RecursionError) -> str:
    """Return why a file cannot be read as text or JSON, as words that follow its name: "does not exist"."""
    match error:
        case FileNotFoundError():
            return "does not exist"
        case IsADirectoryError():
            return "is a folder"
        case PermissionError():
            return "may not be read: check its permissions"
        case UnicodeDecodeError():
            return f"is not UTF-8 (line {error.object.count(10, 0, error.start) + 1}): save it as UTF-8"
        case JSONDecodeError():
            return f"is not JSON: {error.msg} (line {error.lineno}, column {error.colno})"
        case _:
            return f"cannot be read: {getattr(error, 'strerror', None) or error}"


class RalphError(Exception):
    """Base of all errors that ralph raises on purpose.

    `code` is stable and machine-readable; `message` is one line; `hint` says what to do next, or is empty. `run` is the
    name of the run that the error ended, if any. A note says what that run keeps and how to resume it.
    """

    run = ""

    def __init__(self, message: str, *, code: str, hint: str = "") -> None:
        message = " ".join(message.splitlines())  # it may repeat what a document, a record or a server says
        super().__init__(message)
        self.message, self.code, self.hint = message, code, hint

    @property
    def line(self) -> str:
        """The message and the hint."""
        return f"{self.message} - {self.hint}" if self.hint else self.message


class UserError(RalphError):
    """An error that the user can fix."""


class ConfigError(UserError):
    """A setting is unknown, missing or impossible."""


class DocumentError(UserError):
    """The document cannot be used; `code` says why (missing, empty, encrypted, damaged, no-text, ...)."""


class EngineError(RalphError):
    """No sandbox engine can run here, or the one in use could not be replaced."""


class JournalError(RalphError):
    """The journal or a trace cannot be written or read."""


class ProviderError(RalphError):
    """A model service failed.

    `retryable` says whether the same request may succeed later. `retry_after` is the wait that the service requested,
    in seconds. `usage_unknown` marks failures after which the call may have been billed.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        hint: str = "",
        retryable: bool = False,
        retry_after: float | None = None,
        usage_unknown: bool = False,
    ) -> None:
        super().__init__(message, code=code, hint=hint)
        self.retryable, self.retry_after, self.usage_unknown = retryable, retry_after, usage_unknown

    def again(self, attempts: int = 1) -> "ProviderError":
        """Return a copy of this error to raise again; its message gives the number of `attempts` if there were
        several.
        """
        tried = f" (gave up after {attempts} attempts)" if attempts > 1 else ""
        return ProviderError(
            self.message + tried,
            code=self.code,
            hint=self.hint,
            retryable=self.retryable,
            retry_after=self.retry_after,
            usage_unknown=self.usage_unknown,
        )


class LimitExceeded(RalphError):
    """The next call would exceed a limit. Raised before the call.

    `message` replaces the standard text if the numbers alone do not explain the limit.
    """

    def __init__(self, limit: str, *, cap: float, spent: float, message: str = "", hint: str = "") -> None:
        text = message or f"{limit} limit reached: {spent:g} of {cap:g}"
        super().__init__(text, code=f"limit-{limit}", hint=hint)
        self.limit, self.cap, self.spent = limit, cap, spent
