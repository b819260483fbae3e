"""The recogniser against real bash: what it claims is printed, and nothing else is."""

import os
import shutil

import pytest

from bash_truth import (
    FIXTURE,
    SMALL,
    Generator,
    falsehood,
    make_tree,
    nothing_is_short,
    outputs_of,
    run_bash,
)
from priced_context.shell import intake_of_command
from priced_context.words import may_read, words_in
from test_shell import COMMANDS, command_of, golden_cases

GENERATED = 2_400
SEED = 7

# What is not run here: it asks for another machine or user, does not end, succeeds or not as
# the machine pleases, or writes from two processes at once.
NOT_RUN = (
    "sudo", "ssh", "docker", "watch", "-f app", "-F -n", "=name", "while true", "while !",
    "make", "zsh", "git push", "& cat mid.py", ">&2 | wc", "which", "yq e", "source venv",
)  # fmt: skip


def is_runnable(command: str) -> bool:
    """Return whether every command of the tables in *command* is installed."""
    tools = words_in(command) & (COMMANDS | {"python3.11"})
    is_safe = not any(word in command for word in NOT_RUN)
    return is_safe and all(shutil.which(tool) for tool in tools)


def runnable_cases() -> list[str]:
    """Return the golden commands that say something a run can refute."""
    commands = [command_of(case[0]) for case in golden_cases() if case[1] in {"dump", "filtered"}]
    return [command for command in commands if is_runnable(command)]


# Words of a command that changes the tree: it gets a copy.
WRITING = (">", "tee", "rm ", "mv ", "cp ", "uniq", "sort", "-i", "dd ", "gzip", "'w'")


def test_the_golden_table_is_true_in_bash(tmp_path):
    """A table that is only consistent would prove nothing."""
    tree = make_tree(tmp_path / "tree", FIXTURE)
    commit = "git init -q; git add -A; git -c user.name=a -c user.email=a@b commit -qm a"
    run_bash(["-c", commit], tree)
    commands = runnable_cases()
    intakes = [intake_of_command(command, str(tree), str(tree)) for command in commands]
    harmless = [command for command in commands if not any(word in command for word in WRITING)]

    outputs = dict(zip(harmless, outputs_of(harmless, tree, tmp_path), strict=True))
    for command in commands:
        if command not in outputs:
            copy = shutil.copytree(tree, tmp_path / f"{len(outputs)}" / "tree")
            outputs[command] = run_bash(["-c", command], copy)

    found = [
        (command, falsehood(command, intake, outputs[command], tree, FIXTURE))
        for command, intake in zip(commands, intakes, strict=True)
    ]
    assert [case for case in found if case[1]] == []


def test_generated_commands_print_what_is_claimed(tmp_path):
    """Fixed seed: a failure here is a failure for everyone. More: benchmarks/shell_differential."""
    tree = make_tree(tmp_path / "tree", SMALL)
    generator = Generator(SEED)
    lines = [generator.line() for _ in range(GENERATED)]
    with nothing_is_short():
        intakes = [intake_of_command(line, str(tree), str(tree)) for line in lines]

        outputs = outputs_of(lines, tree, tmp_path)

        found = [
            (line, falsehood(line, intake, output, tree, SMALL))
            for line, intake, output in zip(lines, intakes, outputs, strict=True)
        ]

    assert [case for case in found if case[1]] == []
    assert sum(intake.kind == "dump" for intake in intakes) > GENERATED / 3


@pytest.mark.parametrize("seed", range(3))
def test_what_reads_is_always_asked_for(tmp_path, seed):
    """The word list may only be wrong by saying yes."""
    tree = make_tree(tmp_path / "tree", SMALL)
    generator = Generator(seed)

    for line in [generator.line() for _ in range(500)]:
        kind = intake_of_command(line, str(tree), str(tree)).kind

        assert kind in {"none", "unknown"} or may_read(line), line


def test_bash_is_there():
    """Without it the tests above would pass by testing nothing."""
    assert shutil.which("bash", path=os.environ["PATH"])
