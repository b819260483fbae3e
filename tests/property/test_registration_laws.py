"""Laws of the client's settings, over documents of every shape and layout."""

import json
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from priced_context.install import apply, registration, removal
from priced_context.registration import (
    compact_group_for,
    group_for,
    registered,
    unregistered,
    users_status_line,
)

OURS = "/s/priced-context/launch"

BLANKS = st.sampled_from(["", " ", "\n", "\n  ", "\r\n\t", "\n\n    ", "  "])
KEYS = st.text(max_size=6).filter(lambda key: key != "hooks")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
OTHER_HOOK = st.fixed_dictionaries({"type": st.just("command"), "command": st.text(max_size=8)})
OTHER_GROUP = st.fixed_dictionaries(
    {"matcher": st.sampled_from(["Read|Bash", "*"]), "hooks": st.lists(OTHER_HOOK, max_size=2)}
)
HOOKS = st.fixed_dictionaries(
    {},
    optional={
        "Stop": VALUES,
        "PreToolUse": st.lists(OTHER_GROUP | VALUES, max_size=3),
        "PreCompact": st.lists(OTHER_GROUP | VALUES, max_size=3),
        "PostToolUse": VALUES,
    },
)


STATUS_LINES = st.fixed_dictionaries(
    {"command": st.text(max_size=8)}, optional={"type": st.just("command"), "padding": VALUES}
)


@st.composite
def documents(draw):
    """A settings file as text, with blanks wherever JSON allows them."""

    def laid_out(value):
        if isinstance(value, dict):
            inner = [
                f"{draw(BLANKS)}{json.dumps(key)}{draw(BLANKS)}:{draw(BLANKS)}{laid_out(item)}"
                for key, item in value.items()
            ]
            return "{" + f"{draw(BLANKS)},".join(inner) + draw(BLANKS) + "}"
        if isinstance(value, list):
            inner = [draw(BLANKS) + laid_out(item) for item in value]
            return "[" + f"{draw(BLANKS)},".join(inner) + draw(BLANKS) + "]"
        return json.dumps(value)

    content = draw(st.dictionaries(KEYS, VALUES, max_size=3))
    if draw(st.booleans()):
        content["hooks"] = draw(HOOKS)
    if draw(st.booleans()):
        content["statusLine"] = draw(STATUS_LINES)
    content |= draw(st.dictionaries(KEYS, VALUES, max_size=2))
    mark = draw(st.sampled_from(["", "\ufeff"]))
    return mark + draw(BLANKS) + laid_out(content) + draw(BLANKS)


def parsed(text):
    return json.loads(text.removeprefix("\ufeff"))


def without_empty_hooks(content):
    """Return the settings with the containers gone that hold nothing."""
    if "hooks" not in content:
        return content
    events = ("PreToolUse", "PreCompact")
    hooks = {k: v for k, v in content["hooks"].items() if k not in events or v != []}
    kept = content | {"hooks": hooks}
    return kept if hooks else {k: v for k, v in kept.items() if k != "hooks"}


@given(documents())
def test_twice_is_once(text):
    once = registered(text, OURS)

    assert registered(once, OURS) == once


@given(documents())
def test_all_but_our_group_stays_in_content_and_order(text):
    """Compared as printed JSON, so that the order of keys counts."""
    before, after = parsed(text), parsed(registered(text, OURS))

    groups = {
        "PreToolUse": group_for(OURS),
        "PreCompact": compact_group_for("/s/priced-context/precompact"),
    }
    for event, group in groups.items():
        assert after["hooks"][event].pop() == group
        if event not in before.get("hooks", {}):
            assert after["hooks"].pop(event) == []
    line = after["statusLine"]
    assert line["command"] == "/s/priced-context/statusline"
    if "statusLine" not in before:
        assert after.pop("statusLine") == {"type": "command", "command": line["command"]}
    else:
        line["command"] = before["statusLine"]["command"]
    if "hooks" not in before:
        assert after.pop("hooks") == {}
    assert json.dumps(after) == json.dumps(before)


@given(documents())
def test_cutting_us_out_gives_the_text_back(text):
    """Byte for byte; a container that was there and empty is gone, and nothing else."""
    again = unregistered(registered(text, OURS), users_status_line(text))

    before = parsed(text)
    if before == without_empty_hooks(before) != {}:
        assert again == text
    else:
        assert json.dumps(parsed(again)) == json.dumps(without_empty_hooks(before))


@given(documents() | st.sampled_from(["", "\n", "\ufeff", " \r\n"]))
def test_install_then_uninstall_leaves_the_same_bytes(text):
    """On disk, with the backup; and nothing is left beside the file."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "settings.json"
        settings.write_bytes(text.encode())

        apply(settings, registration(settings, OURS))
        apply(settings, removal(settings, users_status_line(text)))

        assert settings.read_bytes() == text.encode()
        assert list(Path(folder).iterdir()) == [settings]


@given(documents(), VALUES)
def test_what_the_user_writes_meanwhile_survives(text, value):
    """The client prints the whole file anew when it saves a permission."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "settings.json"
        settings.write_bytes(text.encode())
        apply(settings, registration(settings, OURS))
        changed = parsed(settings.read_text()) | {"written meanwhile": value}
        settings.write_text(json.dumps(changed, indent=2))

        apply(settings, removal(settings, users_status_line(text)))

        left = parsed(settings.read_text())
        assert left.pop("written meanwhile") == value
        assert left == without_empty_hooks(parsed(text))
