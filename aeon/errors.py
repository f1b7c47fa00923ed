"""Every error that Aeon raises, as one tree.

    AeonError                    what happened, where, and what the user can do
    ├── UsageError               the caller's input is wrong: fix it and call again (exit code 2)
    │   ├── ConfigError          a setting is unknown or out of range; names its path
    │   ├── UnknownNameError     no such model, tool or option; names what there is
    │   ├── InputFileError       a file or folder is missing, unreadable or of another program
    │   │   └── DatabaseAway     the database of durable runs does not answer, or refuses
    │   │       └── DatabaseFull its disk takes no more
    │   ├── NoValidSourcesError  all sources are of tiers that the mode of a report does not take
    │   └── MissingExtraError    a feature needs an optional dependency that is not installed
    ├── ModelError               the endpoint could not give an answer (exit code 1)
    │   ┊                        one request failed, the next one may succeed (``fatal`` is false):
    │   ├── RequestRefused       400 and the like: the endpoint does not take this request, such as one too long for it
    │   ├── RateLimited          429 after the retries that policy allows
    │   ├── EndpointTimeout      no whole answer within the deadline
    │   ├── MalformedResponse    the endpoint answered something that is no completion (HTML, say)
    │   ├── EndpointFailed       5xx after the retries that policy allows, or a local server that died
    │   ┊                        the endpoint cannot be used at all (``fatal`` is true):
    │   ├── ServerBroken         the local server cannot load the model, or dies each time
    │   ├── EndpointUnreachable  refused, no route, no such host
    │   ├── EndpointRejected     401: the key is missing or wrong
    │   │   └── NotPermitted     403: the key may not do this
    │   ├── EndpointMoved        it redirects to another origin, where nothing is sent
    │   ├── ModelNotFound        the endpoint does not serve this model
    │   ├── FieldRefused         it refuses a field that the user added to each request
    │   └── CassetteMiss         a recorded adapter has no answer for this request
    ├── CompletionError          the endpoint answered, but not with something usable
    │   ├── Truncated            the completion was cut off by its token limit
    │   ├── Refused              the model declined
    │   ├── EmptyCompletion      the model answered nothing
    │   └── Malformed            no schema-valid value after the allowed repairs
    ├── WeightsError             model weights could not be made ready (exit code 1)
    │   ├── DownloadFailed       no mirror could be reached, or the transfer broke
    │   ├── ChecksumMismatch     the bytes are not the ones the catalogue names
    │   └── DiskFull             no room for the file
    ├── ToolError                a tool could not do its work
    │   ├── ToolArgumentError    the arguments do not fit the tool's schema
    │   ├── ToolTimeout          the tool did not return in time
    │   ├── ToolFailed           the tool raised
    │   └── OutcomeUnknown       the tool changes the world, and whether it did so is not known
    ├── AllowanceExhausted       a call would go beyond what the kernel allowed this effect
    ├── EngineError              an engine's program breaks the rules of programs; what it did so far is in the journal
    ├── Waiting                  a question was put, and nobody is there to answer it now
    └── JournalError             a journal cannot be used
        └── Divergence           replay asked for another effect than the journal holds; names the entry

A vendor's exception is translated once, in the adapter that met it; nothing above the adapter knows the vendor.
"""

from __future__ import annotations

from typing import ClassVar, Literal

__all__ = [
    "AeonError",
    "AllowanceExhausted",
    "CassetteMiss",
    "ChecksumMismatch",
    "CompletionError",
    "ConfigError",
    "DatabaseAway",
    "DatabaseFull",
    "DiskFull",
    "Divergence",
    "DownloadFailed",
    "EmptyCompletion",
    "EndpointFailed",
    "EndpointMoved",
    "EndpointRejected",
    "EndpointTimeout",
    "EndpointUnreachable",
    "EngineError",
    "FieldRefused",
    "InputFileError",
    "JournalError",
    "Malformed",
    "MalformedResponse",
    "MissingExtraError",
    "ModelError",
    "ModelNotFound",
    "NoValidSourcesError",
    "NotPermitted",
    "OutcomeUnknown",
    "RateLimited",
    "Refused",
    "RequestRefused",
    "ServerBroken",
    "ToolArgumentError",
    "ToolError",
    "ToolFailed",
    "ToolTimeout",
    "Truncated",
    "UnknownNameError",
    "UsageError",
    "Waiting",
    "WeightsError",
]


class AeonError(Exception):
    """Root of every error that Aeon raises; its text is one line for the user."""

    exit_code = 1


class UsageError(AeonError):
    """The caller's input is wrong; calling again with other input can work."""

    exit_code = 2


class ConfigError(UsageError):
    """A configuration value is unknown or out of range."""


class UnknownNameError(UsageError):
    """No model, tool or option has this name."""


class InputFileError(UsageError):
    """A file or folder the caller named cannot be used."""


class DatabaseAway(InputFileError):
    """The database of durable runs does not answer, or refuses what is asked of it. What it holds is not lost."""


class DatabaseFull(DatabaseAway):
    """The disk of the database takes no more. What it holds is not lost."""


class NoValidSourcesError(UsageError):
    """All that could be reported on is of tiers that the mode does not take; names what was dropped."""


class MissingExtraError(UsageError):
    """A feature needs an optional dependency that is not installed."""


class ModelError(AeonError):
    """The endpoint could not give an answer.

    ``fatal``: the endpoint cannot be used at all, so that asking it anything else is useless; otherwise only this
    request failed. ``attempts`` is how many calls were made before giving up. ``unmetered`` is how many of them the
    endpoint may have worked on, without a word on the tokens that this took. ``put_off`` is how many requests before
    them a rate limit put off, which are no calls.
    """

    fatal: ClassVar[bool] = False
    attempts: int = 1
    unmetered: int = 0
    put_off: int = 0


class RequestRefused(ModelError):
    """The endpoint answered 400 or another 4xx: it does not take this request, such as a prompt too long for it.

    ``field`` is the field of the request that it refuses, empty where it names none.
    """

    field: str = ""


class RateLimited(ModelError):
    """The endpoint answered 429 until the retries were used up."""


class EndpointTimeout(ModelError):
    """No whole answer came within the deadline."""

    unmetered = 1


class MalformedResponse(ModelError):
    """The endpoint answered something that is no completion."""

    unmetered = 1


class EndpointFailed(ModelError):
    """The endpoint answered 5xx until the retries were used up, or the local server died."""

    unmetered = 1


class ServerBroken(ModelError):
    """The local model server cannot load the model, or dies each time that it is started; no call was made."""

    fatal = True
    attempts = 0


class EndpointUnreachable(ModelError):
    """The connection was refused or the host does not exist."""

    fatal = True


class EndpointRejected(ModelError):
    """The endpoint answered 401 or 403."""

    fatal = True


class NotPermitted(EndpointRejected):
    """The endpoint answered 403: the key may not do this here, or not in this way."""


class EndpointMoved(ModelError):
    """The endpoint redirects to another origin; neither the prompt nor the key was sent there."""

    fatal = True


class ModelNotFound(ModelError):
    """The endpoint does not serve the model that was asked for."""

    fatal = True


class FieldRefused(ModelError):
    """The endpoint refuses a field that the user added to each request; it is not left out."""

    fatal = True


class CassetteMiss(ModelError):
    """A recorded adapter has no answer for this request; no call was made."""

    fatal = True
    attempts = 0


class CompletionError(AeonError):
    """The endpoint answered, but the completion is not usable."""


class Truncated(CompletionError):
    """The completion was cut off by its token limit, or it is not known to have ended: it is never taken as whole.

    ``text`` is what was written until then.
    """

    def __init__(self, message: str, text: str = "") -> None:
        super().__init__(message)
        self.text = text


class Refused(CompletionError):
    """The model declined to answer."""


class EmptyCompletion(CompletionError):
    """The model answered nothing."""


class Malformed(CompletionError):
    """No schema-valid value came out of the text, repairs included."""


class WeightsError(AeonError):
    """Model weights could not be made ready."""


class DownloadFailed(WeightsError):
    """No mirror could be reached, or every transfer broke."""


class ChecksumMismatch(WeightsError):
    """The bytes are not the ones that the catalogue names."""


class DiskFull(WeightsError):
    """The disk has no room for the file."""


class ToolError(AeonError):
    """A tool could not do its work."""


class ToolArgumentError(ToolError):
    """The arguments do not fit the tool's schema."""


class ToolTimeout(ToolError):
    """The tool did not return in time."""


class ToolFailed(ToolError):
    """The tool raised; the text carries its message."""


class OutcomeUnknown(ToolError):
    """A tool that changes the world was called and did not say how it ended; it must not be called again unasked."""


class Waiting(AeonError):
    """A question was put that nobody is there to answer now: the run is suspended until somebody does."""


class AllowanceExhausted(AeonError):
    """A call would go beyond what the kernel allowed this effect; ``limit`` is calls, tokens, seconds or cost."""

    def __init__(self, limit: Literal["calls", "tokens", "seconds", "cost"], message: str) -> None:
        super().__init__(message)
        self.limit = limit


class JournalError(AeonError):
    """A journal cannot be used."""


class Divergence(JournalError):
    """Replay asked for another effect than the journal holds at this entry."""


class EngineError(AeonError):
    """An engine's program yielded, raised or returned what no program may; mend the engine, then resume the run."""
