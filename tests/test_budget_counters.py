"""Who counts: from the cache, from the last bill, from the API's endpoint."""

import json
import subprocess
import sys
import textwrap
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import msgspec
import pytest

import priced_context
from outgoing import EVERY_API, TOOL_SCHEMA, anthropic, gemini, long_request, openai_chat, sent
from priced_context.budget import (
    BilledCounter,
    ConservativeCounter,
    CountCache,
    EndpointCounter,
    Policy,
    Rule,
    TiktokenCounter,
    compile_outbound_request_budget,
    disassemble,
)
from priced_context.budget.apportion import apportion
from priced_context.budget.cache import CAPACITY, Entry
from priced_context.budget.content import Tool
from priced_context.budget.framing.claude import image_tokens
from priced_context.budget.framing.declarations import (
    FIRST,
    FURTHER,
    NAMESPACE_TOKENS,
    declaration,
)
from priced_context.budget.framing.openai import image_tokens as openai_image_tokens
from priced_context.tokens import encoding

IMPORT_ROOT = str(Path(priced_context.__file__).parent.parent)


def compiled(request: dict, counter=None, **policy):
    body = sent(request)
    return compile_outbound_request_budget(body, counter=counter, policy=Policy(**policy))


def with_new_turn(request: dict) -> dict:
    answer = {"role": "assistant", "content": "Done: the import moved below the path."}
    return {
        **request,
        "messages": [*request["messages"], answer, {"role": "user", "content": "Thanks! Next?"}],
    }


@pytest.mark.parametrize("api", EVERY_API)
def test_a_cached_count_is_the_count(tmp_path, api):
    """Whether a part was seen before must not show in the ledger."""
    fresh = compiled(EVERY_API[api]())
    for _ in range(2):
        cache = CountCache(tmp_path)
        again = compiled(EVERY_API[api](), TiktokenCounter(cache))
        cache.save()
        assert (again, again.rows) == (fresh, fresh.rows)


@pytest.mark.parametrize("api", EVERY_API)
def test_where_all_is_cached_tiktoken_is_not_imported(tmp_path, api):
    """Loading it takes 0.4 s; the rest of a warm compile a few milliseconds."""
    code = f"""
        import sys
        sys.path.insert(0, {IMPORT_ROOT!r})
        from pathlib import Path
        from priced_context.budget import *
        cache = CountCache(Path({str(tmp_path)!r}))
        body = sys.stdin.buffer.read()
        compile_outbound_request_budget(body, counter=TiktokenCounter(cache))
        cache.save()
        print("tiktoken" in sys.modules)
    """

    runs = [
        subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)],
            input=sent(EVERY_API[api]()),
            capture_output=True,
            check=True,
        ).stdout
        for _ in range(2)
    ]

    assert runs == [b"True\n", b"False\n"]


def test_counters_families_and_rules_do_not_share_counts(tmp_path):
    """A count is kept for who made it, and for what."""
    cache = CountCache(tmp_path)
    rule = Rule("authority", role="assistant")
    seen = [
        compiled(anthropic(), TiktokenCounter(cache)),
        compiled(anthropic(), ConservativeCounter(cache)),
        compiled(anthropic(model="claude-opus-5-5"), TiktokenCounter(cache)),
        compiled(anthropic(), TiktokenCounter(cache), rules=(rule,)),
    ]

    alone = [
        compiled(anthropic(), TiktokenCounter()),
        compiled(anthropic(), ConservativeCounter()),
        compiled(anthropic(model="claude-opus-5-5"), TiktokenCounter()),
        compiled(anthropic(), TiktokenCounter(), rules=(rule,)),
    ]
    assert seen == alone
    assert len({budget.total_input_tokens for budget in seen}) == 3


def test_a_damaged_cache_counts_as_empty(tmp_path):
    """A torn disk costs a recount, never an error and never a wrong count."""
    cache = CountCache(tmp_path)
    fresh = compiled(anthropic(), TiktokenCounter(cache))
    cache.save()
    for file in tmp_path.iterdir():
        file.write_bytes(file.read_bytes()[:-40])

    again = compiled(anthropic(), TiktokenCounter(CountCache(tmp_path)))

    assert again == fresh


def test_parallel_writers_lose_nothing_and_leave_no_litter(tmp_path):
    """Two sessions compile at once; each finds both counts later."""
    caches = [CountCache(tmp_path) for _ in range(4)]
    requests = [anthropic(messages=[{"role": "user", "content": f"task {n}"}]) for n in range(4)]
    for cache, request in zip(caches, requests, strict=True):
        compiled(request, TiktokenCounter(cache))  # all have read before any writes
    for cache in caches:
        cache.save()

    (file,) = tmp_path.iterdir()
    space = CountCache(tmp_path)
    for request in requests:
        compiled(request, TiktokenCounter(space))
    before = file.stat().st_mtime_ns
    space.save()

    assert file.stat().st_mtime_ns == before  # nothing had to be counted again
    assert file.stat().st_mode & 0o777 == 0o600


def test_writers_at_the_same_time_never_tear_the_file(tmp_path):
    """Whoever reads sees one writer's whole file."""

    def write(number: int) -> None:
        for turn in range(10):
            cache = CountCache(tmp_path)
            request = anthropic(messages=[{"role": "user", "content": f"{number} {turn}"}])
            compiled(request, ConservativeCounter(cache))
            cache.save()

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    (file,) = tmp_path.iterdir()
    assert msgspec.msgpack.decode(file.read_bytes(), type=dict[bytes, Entry])


def test_the_cache_is_bounded(tmp_path):
    """The oldest counts go; the newest stay."""
    cache = CountCache(tmp_path)
    space = cache.space("a space")
    entry = Entry((), (), (), "", 0, False, "", (), b"")
    for number in range(CAPACITY + 10):
        space[number.to_bytes(4)] = entry
    cache.save()

    kept = CountCache(tmp_path).space("a space")

    assert len(kept) == CAPACITY
    assert (0).to_bytes(4) not in kept
    assert (CAPACITY + 9).to_bytes(4) in kept


def test_a_bill_and_what_came_after_it():
    """The base is exact, only the tail is estimated, and each row says which."""
    before = anthropic()
    counter = BilledCounter(disassemble(sent(before)), 1_234)

    same = compiled(before, counter)
    later = compiled(with_new_turn(before), counter)

    assert same.total_input_tokens == 1_234
    tail = [row for row in later.rows if row.exactness == "estimate"]
    assert [row.origin for row in tail] == ["$.messages[7]", "$.messages[8]"]
    assert later.total_input_tokens == 1_234 + sum(row.tokens for row in tail)
    assert sum(row.tokens for row in later.rows) == later.total_input_tokens
    assert later.account.count.counter == "bill 1, tail by tiktoken 1, claude-1"


def test_what_left_the_request_leaves_the_base():
    """A tool that is gone is no longer paid for."""
    before = anthropic()
    estimate = compiled(before)
    tool = next(row.tokens for row in estimate.rows if row.origin == "$.tools[0]")
    preamble = next(row.tokens for row in estimate.rows if row.origin == "$.tools")
    billed = estimate.total_input_tokens + 100

    after = compiled(anthropic(tools=[]), BilledCounter(disassemble(sent(before)), billed))

    assert after.total_input_tokens == billed - tool
    assert preamble > 0


def test_another_model_s_bill_does_not_count():
    """Families differ by half; a bill across them is worse than an estimate."""
    counter = BilledCounter(disassemble(sent(anthropic(model="claude-opus-5-5"))), 9_999)

    budget = compiled(anthropic(), counter)

    assert budget == compiled(anthropic())
    assert budget.account.count.exactness == "estimate"


class CountServer(ThreadingHTTPServer):
    """An API's count endpoint on loopback that remembers what it was asked."""

    def __init__(
        self,
        answer: bytes,
        status: int = 200,
        delay: float = 0,
        headers: dict[str, str] | None = None,
        *,
        is_mute: bool = False,
    ) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer, self.status, self.delay = answer, status, delay
        self.headers, self.is_mute = headers or {}, is_mute
        self.asked: list[tuple[str, dict, dict]] = []
        self.release = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: CountServer

    def do_GET(self) -> None:
        self.do_POST()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"] or 0))
        self.server.asked.append((self.path, dict(self.headers), json.loads(body or b"{}")))
        self.server.release.wait(self.server.delay)
        if self.server.is_mute:
            self.wfile.write(self.server.answer)
            return
        self.send_response(self.server.status)
        for name, value in self.server.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(self.server.answer)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def serve(monkeypatch):
    """Return a function that starts an endpoint and points the environment at it."""
    servers = []

    def start(answer: bytes, **how) -> CountServer:
        server = CountServer(answer, **how)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        for vendor in ("ANTHROPIC", "GEMINI"):
            monkeypatch.setenv(f"{vendor}_BASE_URL", server.url)
            monkeypatch.setenv(f"{vendor}_API_KEY", "secret")
        return server

    yield start
    for server in servers:
        server.release.set()
        server.shutdown()
        server.server_close()


def test_anthropic_s_endpoint_gives_the_total(serve):
    """Exact total, shares by estimate, and nothing sent that the endpoint would refuse."""
    server = serve(b'{"input_tokens": 2345}')

    budget = compiled(anthropic(), EndpointCounter())

    assert budget.total_input_tokens == 2345 == sum(row.tokens for row in budget.rows)
    assert budget.account.count.exactness == "exact"
    ((path, headers, asked),) = server.asked
    assert path == "/v1/messages/count_tokens"
    assert {key.lower(): value for key, value in headers.items()}["x-api-key"] == "secret"
    assert asked == {
        key: value
        for key, value in anthropic().items()
        if key in ("model", "system", "tools", "messages")
    }


def test_gemini_s_endpoint_gives_the_total(serve):
    server = serve(b'{"totalTokens": 77}')

    budget = compiled(gemini(), EndpointCounter())

    assert budget.total_input_tokens == 77
    ((path, _, asked),) = server.asked
    assert path == "/v1beta/models/gemini-2.5-flash:countTokens"
    assert asked["generateContentRequest"]["contents"] == gemini()["contents"]


def test_the_same_request_is_asked_about_once(serve, tmp_path):
    """An answer is kept on disk; the endpoint is rate-limited."""
    server = serve(b'{"input_tokens": 2345}')
    for _ in range(2):
        cache = CountCache(tmp_path)
        assert compiled(anthropic(), EndpointCounter(cache)).total_input_tokens == 2345
        cache.save()

    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("answer", "how", "reason"),
    [
        (b"overloaded", {"status": 529}, "HTTP 529"),
        (b"<html>", {}, "Expecting value"),
        (b"[]", {}, "no input_tokens in the answer"),
        (b'{"input_tokens": "7"}', {}, "no input_tokens in the answer"),
        (b'{"input_tokens": true}', {}, "no input_tokens in the answer"),
        (b'{"input_tokens": -1}', {}, "no input_tokens in the answer"),
        (b'{"input_tokens": 1' + b"0" * 400 + b"}", {}, "no input_tokens in the answer"),
        (b'{"input_tokens": 1' + b"0" * 5_000 + b"}", {}, "integer string conversion"),
        (b"[" * 100_000, {}, "recursion"),
        (b"\xff\xfe\xff", {}, "decode"),
        (b"SSH-2.0-OpenSSH\x1b[2J\r\n", {"is_mute": True}, "no HTTP: SSH-2.0-OpenSSH\\u001b"),
        (b'{"input_tokens": 7}', {"delay": 5}, "timed out"),
    ],
)
def test_without_an_answer_the_estimate_stands_and_says_why(serve, answer, how, reason):
    """An outage must not stop the controller, nor pass for an exact count."""
    serve(answer, **how)

    budget = compiled(anthropic(), EndpointCounter(timeout_seconds=0.3))

    assert budget == compiled(anthropic())
    assert reason in budget.account.count.counter
    assert budget.account.count.exactness == "estimate"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_the_key_follows_no_redirect(serve, status):
    """Another host has no business with it; and a redirect is no count."""
    other = serve(b'{"input_tokens": 7}')
    serve(b"", status=status, headers={"location": f"{other.url}/v1/messages/count_tokens"})

    budget = compiled(anthropic(), EndpointCounter())

    assert other.asked == []
    assert f"HTTP {status}" in budget.account.count.counter
    assert budget == compiled(anthropic())


@pytest.mark.parametrize(
    "base", ["https://[::1", "http://a b", "http://x:port", "ftp://x", "http://"]
)
def test_a_base_that_is_no_address_is_said(monkeypatch, base):
    monkeypatch.setenv("ANTHROPIC_BASE_URL", base)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")

    budget = compiled(anthropic(), EndpointCounter(timeout_seconds=0.3))

    assert "the endpoint gave no count" in budget.account.count.counter
    assert budget == compiled(anthropic())


def test_a_host_that_is_not_there_is_said_in_words_of_the_system(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")

    counter = compiled(anthropic(), EndpointCounter()).account.count.counter

    assert counter.endswith("(the endpoint gave no count: Connection refused)")


def test_a_key_that_no_header_can_hold_is_not_shown(serve, monkeypatch):
    server = serve(b'{"input_tokens": 7}')
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sec\nret")

    budget = compiled(anthropic(), EndpointCounter())

    assert "ANTHROPIC_API_KEY holds what no header can" in budget.account.count.counter
    assert not server.asked


def test_without_a_key_nothing_is_asked(serve, monkeypatch):
    server = serve(b'{"input_tokens": 7}')
    monkeypatch.delenv("ANTHROPIC_API_KEY")

    budget = compiled(anthropic(), EndpointCounter())

    assert "ANTHROPIC_API_KEY is not set" in budget.account.count.counter
    assert not server.asked


def test_an_api_without_an_endpoint_is_estimated():
    budget = compiled(openai_chat(), EndpointCounter())

    assert budget == compiled(openai_chat())
    assert "openai-chat has none" in budget.account.count.counter


def test_shares_add_up_to_what_is_shared():
    """Largest remainders: no share is a whole token off."""
    assert apportion([1, 1, 1], 10) == [4, 3, 3]
    assert apportion([0, 5, 0], 3) == [0, 3, 0]
    assert sum(apportion(list(range(1, 400)), 12_345)) == 12_345


@pytest.mark.parametrize(
    ("size", "older", "newer"),
    [
        ((200, 200), 64, 64),
        ((1000, 1000), 1296, 1296),
        ((1092, 1092), 1521, 1521),
        ((1920, 1080), 1560, 2691),
        ((2000, 1500), 1564, 3888),
        ((3840, 2160), 1560, 4784),
    ],
)
def test_an_image_costs_what_anthropic_publishes(size, older, newer):
    """The table of the vendor's page on vision."""
    assert image_tokens(*size, is_new=False) == older
    assert image_tokens(*size, is_new=True) == newer


def test_an_image_costs_openai_s_tiles():
    """The vendor's own two examples."""
    assert openai_image_tokens(1024, 1024, "high", "gpt-4o") == 765
    assert openai_image_tokens(2048, 4096, "high", "gpt-4o") == 1105
    assert openai_image_tokens(4096, 8192, "low", "gpt-4o") == 85


def test_one_more_message_counts_one_more_part(tmp_path):
    """An incremental compile looks at what is new and nothing else."""
    cache = CountCache(tmp_path)
    request = long_request(20_000)
    compiled(request, TiktokenCounter(cache))
    cache.save()
    (file,) = tmp_path.iterdir()
    before = msgspec.msgpack.decode(file.read_bytes())

    more = [*request["messages"], {"role": "user", "content": "One more."}]
    compiled({**request, "messages": more}, TiktokenCounter(cache))
    cache.save()

    assert len(msgspec.msgpack.decode(file.read_bytes())) == len(before) + 1


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
def test_the_pieces_of_the_tools_add_up_to_their_text(name):
    """Tools are counted one by one; the model reads one text."""
    opening, closing = "namespace functions", ";\n\n} // namespace functions"
    ranks = encoding(name)
    described = Tool("read", "Read a file.", TOOL_SCHEMA)
    bare = Tool("list_all", "", {"type": "object", "properties": {}})
    for tools in ([described], [bare], [described, bare, described], [bare, bare, described]):
        pieces = [
            (FURTHER if number else FIRST) + declaration(tool) for number, tool in enumerate(tools)
        ]
        joined = len(ranks.encode_ordinary("".join([opening, *pieces, closing])))

        assert NAMESPACE_TOKENS + sum(len(ranks.encode_ordinary(p)) for p in pieces) == joined
