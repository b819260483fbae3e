"""`ctx budget`, `ctx dump`, `ctx diff`: what a person types and what a pipe reads."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import priced_context
from outgoing import anthropic, openai_chat, sent

MAIN = "import sys; from priced_context.cli import main; sys.exit(main())"
CORE = str(Path(priced_context.__file__).parent.parent)


@pytest.fixture
def ctx(tmp_path):
    """Return a function that runs `ctx` in a scratch home."""

    def run(*arguments: str, stdin: bytes = b"", columns: int = 100):
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "PYTHONPATH": CORE,
            "COLUMNS": str(columns),
            "PYTHONIOENCODING": "utf-8",
        }
        return subprocess.run(
            [sys.executable, "-c", MAIN, *arguments],
            input=stdin,
            capture_output=True,
            env=environment,
            cwd=tmp_path,
            check=False,
        )

    return run


@pytest.fixture
def request_file(tmp_path) -> Path:
    file = tmp_path / "request.json"
    file.write_bytes(sent(anthropic()))
    return file


def test_json_is_one_line_a_file(ctx, request_file):
    """A pipe reads the contract, whatever the terminal shows."""
    done = ctx("budget", "--json", str(request_file), "-", stdin=sent(openai_chat()))

    first, second = map(json.loads, done.stdout.splitlines())
    assert done.returncode == 0
    assert (first["modelContextTokens"], second["modelContextTokens"]) == (200_000, 1_047_576)
    assert len(first) == 15


def test_an_endpoint_that_gives_no_count_is_said(ctx, request_file):
    """What was asked for is not what is printed; a pipe hears of it too."""
    done = ctx("budget", "--endpoint", "--json", str(request_file))

    assert done.returncode == 0
    assert done.stdout == ctx("budget", "--json", str(request_file)).stdout
    assert done.stderr.decode() == (
        f"ctx: {request_file}: the endpoint gave no count: ANTHROPIC_API_KEY is not set;"
        " estimated instead\n"
    )


@pytest.mark.parametrize("columns", [40, 60, 100, 200])
def test_the_box_fits_the_terminal(ctx, request_file, columns):
    """A wrapped box is unreadable; a narrow one goes without bars."""
    done = ctx("budget", str(request_file), columns=columns)

    lines = done.stdout.decode().splitlines()
    assert done.returncode == 0
    assert {len(line) for line in lines} == {columns}
    assert ("█" in done.stdout.decode()) == (columns >= 64)


def test_the_box_says_what_decided(ctx, request_file, golden):
    """Segments, totals, reservation, margin, headroom, decision, fingerprint, provenance."""
    done = ctx("budget", str(request_file))

    golden("budget/box.txt", done.stdout.decode())


def test_a_pipe_gets_no_colour(ctx, request_file):
    """Escape codes in a log are litter."""
    assert b"\x1b" not in ctx("budget", str(request_file)).stdout


def test_options_say_what_the_request_does_not(ctx, request_file):
    """Window, reservation, margin and model by hand."""
    done = ctx(
        "budget", "--json", "--model-context", "5000", "--reserve", "100", "--margin", "50",
        "--model", "claude-sonnet-9", "--conservative", str(request_file),
    )  # fmt: skip

    found = json.loads(done.stdout)
    spent = found["totalInputTokens"] + 150
    assert found["freeTokens"] == 5_000 - spent
    assert found["compactionEligible"] is (found["freeTokens"] < 2_000)


def test_a_rules_file_decides_kinds(ctx, request_file, tmp_path):
    """A controller names its own frames."""
    rules = tmp_path / "rules.json"
    rules.write_text('[{"kind": "evidence", "role": "user", "opens": "Then fix"}]')

    plain, ruled = (
        json.loads(ctx("budget", "--json", *more, str(request_file)).stdout)
        for more in ((), ("--rules", str(rules)))
    )

    moved = ruled["evidenceTokens"] - plain["evidenceTokens"]
    assert moved > 0
    assert moved == plain["taskAndWorkingSetTokens"] + plain["historyTokens"] - (
        ruled["taskAndWorkingSetTokens"] + ruled["historyTokens"]
    )


def test_the_last_bill_makes_the_base_exact(ctx, request_file):
    done = ctx("budget", "--json", "--billed", str(request_file), "4321", str(request_file))

    assert json.loads(done.stdout)["totalInputTokens"] == 4321


@pytest.mark.parametrize(
    ("arguments", "stdin", "words"),
    [
        (("budget", "absent.json"), b"", "ctx: absent.json: No such file or directory"),
        (("budget", "-"), b"{", "ctx: -: the request ends too early at $"),
        (("dump", "-"), b'{"a": 1}', "ctx: -: no messages, input or contents"),
        (
            ("budget", "-"),
            sent(anthropic(model="x-1")),
            "ctx: -: no context window known for model 'x-1': give it with --model-context N",
        ),
        (("budget", "--rules", "absent.json", "-"), b"{}", "ctx: absent.json"),
        (("budget", "--billed", "-", "many", "-"), b"{}", "ctx: --billed - many"),
    ],
)
def test_trouble_is_one_sentence_on_stderr(ctx, arguments, stdin, words):
    """What, where and what to do; no traceback, nothing on stdout."""
    done = ctx(*arguments, stdin=stdin)

    assert done.returncode == 1
    assert done.stdout == b""
    assert done.stderr.decode().startswith(words)
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("verb", [("budget", "--json"), ("dump",)])
def test_a_bad_file_does_not_cost_the_others(ctx, request_file, verb):
    """Its sentence, their ledgers, and exit code 1."""
    alone = ctx(*verb, str(request_file)).stdout

    done = ctx(*verb, str(request_file), "nope.json", str(request_file))

    assert done.returncode == 1
    assert done.stdout == alone * 2
    assert done.stderr == b"ctx: nope.json: No such file or directory\n"


@pytest.mark.parametrize("option", ["--reserve", "--margin"])
def test_a_negative_amount_is_refused(ctx, request_file, option):
    done = ctx("budget", option, "-5", str(request_file))

    assert (done.returncode, done.stdout) == (1, b"")
    assert b"of -5 tokens: give 0 or more" in done.stderr


@pytest.mark.parametrize(
    "options",
    [
        ("--model-context", "9000"), ("--reserve", "0"), ("--margin", "0"), ("--conservative",),
        ("--endpoint",), ("--api", "anthropic"), ("--model", "claude-opus-4-6"),
    ],
)  # fmt: skip
def test_a_session_is_not_overridden(ctx, options):
    """An option that would be ignored is refused."""
    done = ctx("budget", *options, "--session", "s1")

    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(f"ctx: --session goes without {options[0]}: ".encode())
    assert done.stderr.count(b"\n") == 1


def test_a_dump_adds_up_and_holds_no_content(ctx, request_file):
    """A ledger can be handed on; what the conversation says cannot."""
    done = ctx("dump", str(request_file))

    document = json.loads(done.stdout)
    assert document["schemaVersion"] == 1
    assert (
        sum(row["tokens"] for row in document["rows"]) == (document["budget"]["totalInputTokens"])
    )
    assert (
        sum(row["bytes"] for row in document["rows"]) + document["envelopeBytes"]
        == (document["requestBytes"])
    )
    assert b"Then fix it" not in done.stdout
    assert document["counter"] == "tiktoken 1, claude-1"


def test_content_is_dumped_only_when_asked_for(ctx, request_file):
    done = ctx("dump", "--content", str(request_file))

    contents = {row["origin"]: row.get("content") for row in json.loads(done.stdout)["rows"]}
    assert json.loads(contents["$.messages[6]"]) == {"role": "user", "content": "Then fix it."}
    assert contents["$.tools"] is None


def test_diff_adds_up_to_the_difference(ctx, request_file, tmp_path):
    """Every token that came or went has a line."""
    after = anthropic()
    after["tools"] = []
    after["messages"] = [
        *after["messages"],
        {"role": "assistant", "content": "Fixed."},
        {"role": "user", "content": "And the tests?"},
    ]
    other = tmp_path / "after.json"
    other.write_bytes(sent(after))

    found = json.loads(ctx("diff", "--json", str(request_file), str(other)).stdout)
    shown = ctx("diff", str(request_file), str(other)).stdout.decode()

    change = found["totalAfter"] - found["totalBefore"]
    assert sum(c["tokensAfter"] - c["tokensBefore"] for c in found["changes"]) == change
    assert sum(found["byKind"].values()) == change
    assert {c["origin"] for c in found["changes"]} == {
        *("$.tools[0]", "$.tools", "$.messages[6]", "$.messages[7]", "$.messages[8]"),
    }
    assert "$.tools[0] tool Read" in shown


def test_a_request_differs_from_itself_in_nothing(ctx, request_file):
    found = json.loads(ctx("diff", "--json", str(request_file), str(request_file)).stdout)

    assert found["changes"] == []
    assert found["fingerprintBefore"] == found["fingerprintAfter"]


def test_importing_the_package_loads_nothing_of_the_compiler():
    """The hooks import it on every tool call."""
    code = "import priced_context, sys; print('msgspec' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": CORE},
        capture_output=True,
        check=True,
    )

    assert done.stdout == b"False\n"
    assert callable(priced_context.compile_outbound_request_budget)
    with pytest.raises(AttributeError):
        _ = priced_context.no_such_name
