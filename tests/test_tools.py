"""Tools other than Read and the shell: a server's file readers, and Grep."""

import pytest

from priced_context.reads import intake_of_call
from priced_context.records import DUMP, FILTERED, NONE, UNBOUNDED, ToolCall
from scene import code


def intake(agent, tool: str, **fields):
    call = ToolCall(tool, fields, "s1", cwd=str(agent.project))
    return intake_of_call(call, str(agent.state))


@pytest.mark.parametrize(
    ("tool", "fields", "expected"),
    [
        ("mcp__fs__read_file", {"path": "{}/mid.py"}, (1, None)),
        ("mcp__fs__read_text_file", {"path": "mid.py", "head": 30}, (1, 30)),
        ("mcp__fs__read_text_file", {"path": "mid.py", "tail": 30}, (-30, 30)),
        ("mcp__x__view", {"file_path": "mid.py", "view_range": [10, 20]}, (10, 11)),
        ("mcp__x__view", {"file_path": "mid.py", "view_range": [10, -1]}, (10, None)),
        ("mcp__x__read_file", {"filename": "mid.py", "start_line": 5, "end_line": 9}, (5, 5)),
        ("mcp__x__read_file", {"uri": "file://{}/mid.py", "offset": 7, "limit": 3}, (7, 3)),
        ("mcp__x__get_file_contents", {"path": "mid.py", "limit": "x"}, (1, None)),
    ],
)
def test_a_servers_reader_is_known_by_name_and_arguments(agent, tool, fields, expected):
    """The names that servers in use give them."""
    fields = {
        name: value.format(agent.project) if isinstance(value, str) else value
        for name, value in fields.items()
    }

    found = intake(agent, tool, **fields)

    assert (found.kind, found.reads[0].path) == (DUMP, str(agent.project / "mid.py"))
    assert (found.reads[0].first_line, found.reads[0].line_count) == expected


def test_several_files_are_several_reads(agent):
    """Their result is one."""
    found = intake(agent, "mcp__fs__read_multiple_files", paths=["mid.py", "none.py", "six.py"])

    assert [read.path.rpartition("/")[2] for read in found.reads] == ["mid.py", "six.py"]


@pytest.mark.parametrize("tool", ["mcp__fs__write_file", "mcp__github__get_issue", "mcp__x__"])
def test_another_tool_of_a_server_passes(agent, tool):
    """Only what reads files is ours."""
    assert intake(agent, tool, path="mid.py").kind == NONE


@pytest.mark.parametrize("name", ["slurp", "mcp__x__slurp"])
def test_the_users_config_names_more_tools(agent, name, tmp_path):
    """By whole name or by the last part."""
    (tmp_path / "config.toml").write_text(f"tools = ['{name}']")
    agent.state.mkdir(exist_ok=True)
    (agent.state / "policy").write_text(f"{tmp_path / 'config.toml'}\t0\n")

    assert intake(agent, "mcp__x__slurp", path="mid.py").kind == DUMP


def test_an_oversized_read_of_a_server_is_refused_once(agent):
    """By the same memory as any other read of the file."""
    reason = agent.call("mcp__fs__read_file", path=str(agent.project / "mid.py"))

    assert "mid.py whole is ~10k tok" in reason["permissionDecisionReason"]
    assert agent.read("mid.py") == {}


def test_a_result_over_the_clients_cap_passes(agent, project):
    """The client answers with an error that names a file."""
    (project / "huge.py").write_text(code(3_000))

    assert agent.call("mcp__fs__read_file", path="huge.py") == {}


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({}, NONE),
        ({"output_mode": "count"}, NONE),
        ({"output_mode": "content"}, NONE),
        ({"output_mode": "content", "head_limit": 0}, UNBOUNDED),
        ({"output_mode": "content", "head_limit": 50}, NONE),
        ({"output_mode": "content", "path": "mid.py"}, FILTERED),
        ({"output_mode": "content", "path": "missing", "head_limit": 0}, UNBOUNDED),
    ],
)
def test_grep_is_bounded_unless_told_otherwise(agent, fields, kind):
    """It shows 250 lines by default."""
    assert intake(agent, "Grep", pattern="item", **fields).kind == kind


def test_a_grep_without_a_limit_gets_one(agent):
    """Once: the same call again runs as it stands."""
    fields = {"pattern": "item", "output_mode": "content", "head_limit": 0}

    answer = agent.call("Grep", **fields)

    assert answer["updatedInput"] == fields | {"head_limit": 200}
    assert "bounded to 200 lines" in answer["additionalContext"]
    assert agent.call("Grep", **fields) == {}


def test_in_a_roomy_window_nothing_is_bounded(agent):
    """The client's own cap is under the budget there."""
    agent.knows_window(1_000_000, 0)

    assert agent.call("Grep", pattern="x", output_mode="content", head_limit=0) == {}
