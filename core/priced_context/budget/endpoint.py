"""The API's own count, asked for over the network: only where the user wants it."""

import json
import os
from typing import NamedTuple
from urllib.parse import quote

import msgspec
import xxhash

from priced_context.budget.apportion import reweigh
from priced_context.budget.cache import CountCache
from priced_context.budget.counters import EXACT, Count, Counter, TiktokenCounter
from priced_context.budget.request import Request
from priced_context.budget.rules import Rule
from priced_context.wording import printable

TIMEOUT_SECONDS = 10.0
LARGEST_ANSWER_BYTES = 1 << 20
MOST_TOKENS = 1 << 32
"""Over a hundred times the largest window: a total above it is no count."""


class Endpoint(NamedTuple):
    """Where one API counts, and what of a request it takes there."""

    base_variable: str
    base: str
    key_variable: str
    key_header: str
    path: str
    members: frozenset[str]
    answer: str


ENDPOINTS = {
    "anthropic": Endpoint(
        "ANTHROPIC_BASE_URL",
        "https://api.anthropic.com",
        "ANTHROPIC_API_KEY",
        "x-api-key",
        "/v1/messages/count_tokens",
        frozenset(
            ["model", "messages", "system", "tools", "tool_choice", "thinking", "mcp_servers"]
        ),
        "input_tokens",
    ),
    "gemini": Endpoint(
        "GEMINI_BASE_URL",
        "https://generativelanguage.googleapis.com",
        "GEMINI_API_KEY",
        "x-goog-api-key",
        "/v1beta/models/{model}:countTokens",
        frozenset(
            [
                *("contents", "systemInstruction", "system_instruction", "tools", "toolConfig"),
                *("generationConfig", "safetySettings", "cachedContent"),
            ]
        ),
        "totalTokens",
    ),
}


class EndpointCounter:
    """Takes the total from the API and spreads it over the rows as *inner* weighs them.

    The key comes from the environment. The same request is asked about once a cache. Where the API
    has no such endpoint, no key is set, or no answer comes in time, *inner* counts alone and the
    ledger says why.
    """

    name = "endpoint"
    version = "1"
    exactness = EXACT

    def __init__(
        self,
        cache: CountCache | None = None,
        inner: Counter | None = None,
        timeout_seconds: float = TIMEOUT_SECONDS,
    ) -> None:
        self.cache = cache or CountCache()
        self.inner = inner or TiktokenCounter(self.cache)
        self.timeout_seconds = timeout_seconds
        self.silence = ""
        """Why the last count is not the API's; "": it is."""

    def count(self, request: Request, rules: tuple[Rule, ...] = ()) -> Count:
        count = self.inner.count(request, rules)
        try:
            total = self._total(request)
        except _NoAnswer as error:
            self.silence = f"the endpoint gave no count: {error}"
            return msgspec.structs.replace(count, counter=f"{count.counter} ({self.silence})")
        self.silence = ""
        entries, frames = reweigh(count.entries, count.frames, total)
        counter = f"{self.name} {self.version}, shares by {count.counter}"
        return Count(entries, frames, counter, self.exactness)

    def _total(self, request: Request) -> int:
        """Return the API's count; raises `_NoAnswer` where there is none."""
        endpoint = ENDPOINTS.get(request.adapter.NAME)
        if endpoint is None:
            raise _NoAnswer(f"{request.adapter.NAME} has none")
        url, body = _question(endpoint, request)
        known = self.cache.totals()
        key = xxhash.xxh3_128_digest(url.encode() + b"\n" + body)
        if key not in known:
            known[key] = self._ask(endpoint, url, body)
        return known[key]

    def _ask(self, endpoint: Endpoint, url: str, body: bytes) -> int:
        secret = os.environ.get(endpoint.key_variable, "")
        if not secret:
            raise _NoAnswer(f"{endpoint.key_variable} is not set")
        if not (secret.isascii() and secret.isprintable()):  # else the error would quote it
            raise _NoAnswer(f"{endpoint.key_variable} holds what no header can")
        if not url.startswith(("https://", "http://")):
            raise _NoAnswer(f"{endpoint.base_variable} is no web address")
        headers = {
            endpoint.key_header: secret,
            "content-type": "application/json",
            "anthropic-version": "2023-06-01",
        }
        try:
            found = json.loads(_answer(url, body, headers, self.timeout_seconds))
        except OSError as error:
            reason = getattr(error, "reason", error)  # urllib wraps what the system said
            words = getattr(reason, "strerror", None) or reason
            raise _NoAnswer(printable(str(words))) from error
        except (ValueError, RecursionError) as error:
            raise _NoAnswer(printable(str(error))) from error
        total = found.get(endpoint.answer) if isinstance(found, dict) else None
        if type(total) is not int or not 0 <= total <= MOST_TOKENS:  # `true` is an int too
            raise _NoAnswer(f"no {endpoint.answer} in the answer")
        return total


def _answer(url: str, body: bytes, headers: dict[str, str], timeout_seconds: float) -> bytes:
    """Return what the API says to *body*.

    A redirect is no answer: the key must not follow it to another host.

    Raises:
        OSError, ValueError: nothing, or no address; `_NoAnswer`: an error, or no HTTP.
    """
    import urllib.error
    from http.client import HTTPException
    from urllib.request import HTTPRedirectHandler, Request, build_opener

    class NoRedirect(HTTPRedirectHandler):
        def redirect_request(self, *_: object) -> None:
            return None

    question = Request(url, body, headers)  # noqa: S310 - the caller checked the scheme
    try:
        with build_opener(NoRedirect).open(question, timeout=timeout_seconds) as answer:
            text: bytes = answer.read(LARGEST_ANSWER_BYTES)
            return text
    except urllib.error.HTTPError as error:
        with error:
            raise _NoAnswer(f"HTTP {error.code}") from error
    except HTTPException as error:
        raise _NoAnswer(f"no HTTP: {printable(str(error))}") from error


class _NoAnswer(Exception):  # noqa: N818 - never leaves this module: the inner counter steps in
    pass


def _question(endpoint: Endpoint, request: Request) -> tuple[str, bytes]:
    """Return address and body: of the request, the members that the endpoint takes."""
    fields = request.fields
    kept = {key: field.raw for key, field in fields.items() if key in endpoint.members}
    base = os.environ.get(endpoint.base_variable) or endpoint.base
    model = request.shape.model.removeprefix("models/")
    url = base.rstrip("/") + endpoint.path.format(model=quote(model))
    if "{model}" not in endpoint.path:
        kept["model"] = msgspec.Raw(msgspec.json.encode(model))
        return url, msgspec.json.encode(kept)
    kept["model"] = msgspec.Raw(msgspec.json.encode(f"models/{model}"))
    return url, msgspec.json.encode({"generateContentRequest": kept})
