"""Laws of the client's settings, over documents of every shape and layout."""

import json
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from priced_context.install import apply, registration, removal
from priced_context.registration import (
    group_for,
    menu_rules,
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
        "PostToolUse": st.lists(OTHER_GROUP | VALUES, max_size=3),
    },
)
PERMISSIONS = st.fixed_dictionaries(
    {}, optional={"allow": st.lists(st.text(max_size=8), max_size=3), "deny": VALUES}
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
    if draw(st.booleans()):
        content["permissions"] = draw(PERMISSIONS)
    content |= draw(st.dictionaries(KEYS, VALUES, max_size=2))
    mark = draw(st.sampled_from(["", "\ufeff"]))
    return mark + draw(BLANKS) + laid_out(content) + draw(BLANKS)


def parsed(text):
    return json.loads(text.removeprefix("\ufeff"))


def without_empty(content, *path):
    """Return the settings without the containers on *path* that hold nothing."""
    if not path or path[0] not in content:
        return content
    name, *rest = path
    inner = without_empty(content[name], *rest) if rest else content[name]
    kept = content | {name: inner}
    return kept if inner else {key: value for key, value in kept.items() if key != name}


def without_what_we_empty(content, *, cuts, menus):
    for event in ("PreToolUse", "PreCompact", *(["PostToolUse"] if cuts else [])):
        content = without_empty(content, "hooks", event)
    return without_empty(content, "permissions", "allow") if menus else content


@given(documents(), st.booleans(), st.booleans())
def test_twice_is_once(text, cuts, menus):
    once = registered(text, OURS, cuts=cuts, menus=menus)

    assert registered(once, OURS, cuts=cuts, menus=menus) == once


@given(documents(), st.booleans(), st.booleans())
def test_all_but_ours_stays_in_content_and_order(text, cuts, menus):
    """Compared as printed JSON, so that the order of keys counts."""
    before = parsed(text)
    after = parsed(registered(text, OURS, cuts=cuts, menus=menus))

    groups = {
        "PreToolUse": group_for("PreToolUse", OURS),
        "PreCompact": group_for("PreCompact", "/s/priced-context/precompact"),
    }
    if cuts:
        groups["PostToolUse"] = group_for("PostToolUse", "/s/priced-context/posttooluse")
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
    if menus:
        allow = after["permissions"]["allow"]
        assert [allow.pop() for _ in range(3)][::-1] == menu_rules("/s/priced-context")
        if "allow" not in before.get("permissions", {}):
            assert after["permissions"].pop("allow") == []
        if "permissions" not in before:
            assert after.pop("permissions") == {}
    assert json.dumps(after) == json.dumps(before)


@given(documents(), st.booleans(), st.booleans())
def test_cutting_us_out_gives_the_text_back(text, cuts, menus):
    """Byte for byte; a container that was there and empty is gone, and nothing else."""
    ours = registered(text, OURS, cuts=cuts, menus=menus)

    again = unregistered(ours, users_status_line(text))

    before = parsed(text)
    left = without_what_we_empty(before, cuts=cuts, menus=menus)
    if before == left != {}:
        assert again == text
    else:
        assert json.dumps(parsed(again)) == json.dumps(left)


@given(documents() | st.sampled_from(["", "\n", "\ufeff", " \r\n"]), st.booleans())
def test_install_then_uninstall_leaves_the_same_bytes(text, menus):
    """On disk, with the backup; and nothing is left beside the file."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "settings.json"
        settings.write_bytes(text.encode())

        apply(settings, registration(settings, OURS, allow_menus=menus))
        apply(settings, removal(settings, users_status_line(text)))

        assert settings.read_bytes() == text.encode()
        assert list(Path(folder).iterdir()) == [settings]


@given(documents(), VALUES, st.booleans())
def test_what_the_user_writes_meanwhile_survives(text, value, menus):
    """The client prints the whole file anew when it saves a permission."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "settings.json"
        settings.write_bytes(text.encode())
        apply(settings, registration(settings, OURS, allow_menus=menus))
        changed = parsed(settings.read_text()) | {"written meanwhile": value}
        settings.write_text(json.dumps(changed, indent=2))

        apply(settings, removal(settings, users_status_line(text)))

        left = parsed(settings.read_text())
        assert left.pop("written meanwhile") == value
        assert left == without_what_we_empty(parsed(text), cuts=False, menus=menus)
