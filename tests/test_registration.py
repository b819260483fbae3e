"""The entry in the client's settings: in and out of the text, and nothing else of it touched."""

import json

import pytest

from priced_context.console import Trouble
from priced_context.registration import (
    EVENT,
    MATCHER,
    group_for,
    registered,
    registered_hooks,
    unregistered,
    users_status_line,
)

OURS = "/home/u/.local/state/priced-context/launch"
GROUP = group_for(EVENT, OURS)
OTHER = {"matcher": MATCHER, "hooks": [{"type": "command", "command": "other-guard"}]}


def test_a_file_without_hooks_gets_them_at_its_end():
    """In its own indentation, behind what the user has."""
    before = '{\n    "model": "opus",\n    "env": {}\n}\n'

    after = registered(before, OURS)

    assert after.startswith('{\n    "model": "opus",\n    "env": {},\n    "hooks": {\n        "Pre')
    assert json.loads(after)["hooks"] == {
        "PreToolUse": [GROUP],
        "PreCompact": [group_for("PreCompact", OURS.replace("/launch", "/precompact"))],
    }


@pytest.mark.parametrize(
    "before",
    [
        pytest.param('{"a":1}', id="one line"),
        pytest.param('{"a": 1, "b": 2}\n', id="one line, spaced"),
        pytest.param('{\n\t"a": 1\n}', id="tabs, no newline at the end"),
        pytest.param('{\r\n  "a": 1\r\n}\r\n', id="CRLF"),
        pytest.param('\ufeff{\n  "a": 1\n}\n', id="byte order mark"),
        pytest.param('{\n"a": 1\n}\n', id="no indentation"),
        pytest.param('{ "a":\n 1 }', id="odd line breaks"),
        pytest.param('{"a": "}{][,\\"\\\\", "\\u0068ooks": {"Stop": []}}', id="escapes"),
        pytest.param('{\n  "hooks": {\n    "Stop": []\n  },\n  "z": 1\n}\n', id="other events"),
        pytest.param(
            json.dumps({"hooks": {"PreToolUse": [OTHER]}, "z": 1}, indent=2),
            id="others, same tools",
        ),
        pytest.param('{"hooks": {"PreToolUse": [7, {"hooks": null}, []]}}', id="malformed groups"),
    ],
)
def test_in_and_out_again_is_the_same_text(before):
    """Without any backup: the cut is the inverse of the insertion."""
    after = registered(before, OURS)

    assert registered_hooks(after) == [OURS]
    assert unregistered(after) == before


def test_twice_is_once():
    once = registered("{}", OURS)

    assert registered(once, OURS) == once


def test_lines_end_as_the_file_has_them():
    after = registered('{\r\n  "a": 1\r\n}\r\n', OURS)

    assert after.count("\n") == after.count("\r\n")


def test_an_older_registration_is_replaced_where_it_stands():
    """Its place among the user's hooks is the user's business."""
    old = {"matcher": "Read", "hooks": [{"type": "command", "command": OURS}]}
    before = json.dumps({"hooks": {"PreToolUse": [old, OTHER], "Stop": []}, "z": 1}, indent=2)

    after = registered(before, "/elsewhere/priced-context/launch")

    groups = json.loads(after)["hooks"]["PreToolUse"]
    assert groups == [group_for(EVENT, "/elsewhere/priced-context/launch"), OTHER]


def test_a_group_shared_with_another_hook_keeps_that_hook():
    """A user may have merged two groups by hand; only our handler is ours."""
    shared = OTHER | {"hooks": [*OTHER["hooks"], *GROUP["hooks"]]}
    before = json.dumps({"hooks": {"PreToolUse": [shared]}}, indent=2)

    assert json.loads(unregistered(before)) == {"hooks": {"PreToolUse": [OTHER]}}
    assert json.loads(registered(before, OURS))["hooks"]["PreToolUse"] == [
        OTHER,
        GROUP,
    ]


def test_several_registrations_become_one():
    before = json.dumps({"hooks": {"PreToolUse": [GROUP, OTHER, GROUP]}})

    assert registered_hooks(registered(before, OURS)) == [OURS]
    assert registered_hooks(unregistered(before)) == []


def test_taking_us_out_leaves_no_empty_containers():
    assert unregistered(registered('{"a": 1}', OURS)) == '{"a": 1}'
    assert unregistered(registered("{}", OURS)) == "{}"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        pytest.param('{\n  "a": 1\n  "b": 2\n}', "line 3, column 3", id="no comma"),
        pytest.param('{\n  // mine\n  "a": 1\n}', "line 2, column 3", id="comment"),
        pytest.param('{"a": NaN}', "NaN", id="a number JSON has not"),
        pytest.param("[]", "not a JSON object", id="a list"),
        pytest.param('{"hooks": []}', '"hooks" on line 1 is not an object', id="hooks a list"),
        pytest.param(
            '{\n"hooks": {\n"PreToolUse": {}}}', '"PreToolUse" on line 3 is not a list', id="event"
        ),
        pytest.param('{"hooks": {},\n"hooks": {}}', "again on line 2", id="hooks twice"),
        pytest.param("[" * 100_000, "too deeply", id="deep"),
    ],
)
def test_what_is_no_settings_file_is_refused(text, what):
    """With the place: a person has to repair it."""
    with pytest.raises(Trouble, match=what):
        registered(text, OURS)


def test_a_key_that_stands_twice_elsewhere_is_left_alone():
    """The client takes the last; it is not ours to judge."""
    before = '{"a": 1, "a": 2}'

    assert unregistered(registered(before, OURS)) == before


LINES = {
    "one line": '{"statusLine": {"type": "command", "command": "~/line.sh"}, "z": 1}',
    "own fields": '{\n  "statusLine": {\n    "command": "\\u0022b\\"",\n    "padding": 0\n  }\n}\n',
    "of a kind unknown": '{"statusLine": {"type": "future", "module": "x"}}',
    "no object": '{"statusLine": null}',
    "twice": '{"statusLine": {"command": "a"}, "statusLine": {"command": "b"}}',
}


@pytest.mark.parametrize("before", LINES.values(), ids=LINES.keys())
def test_the_users_status_line_comes_back_byte_for_byte(before):
    """Ours takes the place of its command and calls it; every other field is the user's."""
    line = users_status_line(before)

    after = registered(before, OURS)

    assert unregistered(after, line) == before
    assert users_status_line(after) == ""


def test_our_status_line_stands_in_the_users_place():
    """A padding or a refresh interval is about the place, not about the program."""
    after = json.loads(registered(LINES["own fields"], OURS))

    ours = OURS.replace("/launch", "/statusline")
    assert after["statusLine"] == {"command": ours, "padding": 0}


def test_a_state_with_a_blank_is_quoted_for_the_shell():
    """The client hands a status line to a shell."""
    after = registered("{}", "/a state/priced-context/launch")

    assert json.loads(after)["statusLine"]["command"] == "'/a state/priced-context/statusline'"
    assert unregistered(after) == "{}"
