"""From a refused Read to an edit by way of a menu, in the real client, without being asked."""

import re
import subprocess

import pytest
from played import CHECKING_MODEL, NEWEST_MODEL, bash, edit, follow, play, read

from priced_context.caps import version_of
from scratch import CTX

SPAWNS_SINCE = (2, 1, 139)
"""The first client that spawns a hook directly, without a shell."""
RULED = ("Read", "Edit")
"""No shell command is allowed but by the rules that `ctx install --allow-menus` writes."""


@pytest.fixture
def with_menus(client):
    """Return the client with the guard and the rules for our verbs installed."""
    command = [CTX, "install", "--allow-menus"]
    subprocess.run(command, env=client.environment(), check=True, capture_output=True)
    return client


@pytest.fixture
def shop(client):
    """Return a source file of 250 functions, over the budget of one read in any window."""
    client.environment()
    path = client.project / "shop.py"
    path.write_text(
        "".join(
            f"def price_{number}(value):\n"
            f'    """Return the price of article {number}, which nobody else may change."""\n'
            f"    margin = margin_of(value, discount={number})\n"
            f"    return value + margin  # article {number}\n\n\n"
            for number in range(250)
        )
    )
    return path


def menu_command(refusal: str) -> str:
    """Return the command line that a refusal offers first."""
    return re.search(r"Cheaper: (.*?) \(at most ~500 tok\), or ", refusal)[1]


def first_symbol(menu: str) -> tuple[str, int, int]:
    """Return name, first and last line of the first function that a menu lists."""
    name, first, last = re.search(r"^function (\w+) (\d+)-(\d+) ", menu, re.MULTILINE).groups()
    return name, int(first), int(last)


def test_where_reading_comes_before_editing_the_menus_lines_are_read(with_menus, shop):
    """Refused Read → the command it names → Read with that line's range → Edit."""

    def plan(result):
        yield read(shop)
        yield bash(menu_command(result().text))
        name, first, last = first_symbol(result().text)
        yield read(shop, offset=first, limit=last - first + 1)
        article = name.removeprefix("price_")
        yield edit(shop, f"# article {article}\n", "# edited\n")

    session = follow(with_menus, plan, allowed=RULED, model=CHECKING_MODEL)

    refused, menu, span, edited = session.results
    assert refused.is_error
    assert menu_command(refused.text) == f"{with_menus.state}/ctx stats repo:shop.py"
    assert not menu.is_error, menu.text
    assert menu.text.startswith("repo:shop.py ~")
    assert not span.is_error
    name, first, _ = first_symbol(menu.text)
    assert span.text.startswith(f"{first}\tdef {name}(value):")
    assert not edited.is_error, edited.text
    assert shop.read_text().count("# edited\n") == 1


def test_on_the_newest_model_the_menus_handle_is_enough(with_menus, shop):
    """Refused Read → the command it names → the command the menu names → Edit."""
    unread = with_menus.project / "unread.py"
    unread.write_text("item\n")
    if play(with_menus, edit(unread, "item", "x"), model=NEWEST_MODEL).results[0].is_error:
        pytest.skip("this client wants every model to Read before it edits")

    def plan(result):
        yield read(shop)
        command = menu_command(result().text)
        yield bash(command)
        name, *_ = first_symbol(result().text)
        yield bash(f"{command.replace(' stats ', ' get ')}#{name}")
        line = re.search(r"\t( +return .*)", result().text)[1]
        yield edit(shop, line, "    return value")

    session = follow(with_menus, plan, allowed=RULED, model=NEWEST_MODEL)

    refused, menu, span, edited = session.results
    assert refused.is_error
    assert not menu.is_error, menu.text
    name, first, _ = first_symbol(menu.text)
    assert span.text.startswith(f"{first}\tdef {name}(value):")
    assert not edited.is_error, edited.text
    assert shop.read_text().count("    return value\n") == 1


def test_a_state_folder_with_a_blank_has_menus_unasked_too(client, shop):
    """As on macOS: the rule must match the very words that the refusal names."""
    if version_of(client.version()) < SPAWNS_SINCE:
        pytest.skip("clients before 2.1.139 hand the hook's path to a shell, which ends at a blank")
    folder = {"XDG_STATE_HOME": str(client.root / "of the user")}
    command = [CTX, "install", "--allow-menus"]
    environment = client.environment() | folder
    subprocess.run(command, env=environment, check=True, capture_output=True)

    def plan(result):
        yield read(shop)
        yield bash(menu_command(result().text))

    session = follow(client, plan, allowed=RULED, model=CHECKING_MODEL, environment=folder)

    refused, menu = session.results
    assert "of the user" in menu_command(refused.text)
    assert not menu.is_error, menu.text
    assert menu.text.startswith("repo:shop.py ~")


def test_the_rules_allow_our_verbs_and_no_more(with_menus, shop):
    """Neither `--outside`, which stands before the verb, nor a verb that writes, nor a tail."""
    ctx = with_menus.state / "ctx"
    asked = [
        f"{ctx} --outside get {shop}:1-3",
        f"{ctx} off",
        f"{ctx} stats repo:shop.py > menu.txt",
        f"{ctx} stats repo:shop.py && touch made",
    ]

    session = play(with_menus, *map(bash, asked), allowed=RULED, model=CHECKING_MODEL)

    assert all(result.is_error for result in session.results)
    assert sorted(path.name for path in with_menus.project.iterdir()) == ["shop.py"]
    assert not (with_menus.state / "off").exists()


def test_without_the_rules_a_refusal_names_no_verb(guarded, shop):
    """An offer that the user would have to approve is none."""
    refused = play(guarded, read(shop), allowed=RULED, model=CHECKING_MODEL).results[0]

    assert refused.is_error
    assert "ctx stats" not in refused.text
    assert "Cheaper: Read it with offset and limit" in refused.text
