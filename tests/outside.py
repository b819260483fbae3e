"""Which variables of a developer's own shell would decide what a test sees."""

PREFIXES = ("CLAUDE_", "ANTHROPIC_", "GEMINI_")
NAMES = (
    "BASH_MAX_OUTPUT_LENGTH",
    "CTX_OFF",
    "DISABLE_AUTO_COMPACT",
    "DISABLE_COMPACT",
    "MAX_MCP_OUTPUT_TOKENS",
)
KEPT = {
    "CC": "tests that build ask for the machine's own compiler",
    "HOME": "a test that needs another sets it",
    "LANG": "of the terminal; a test of the status line sets it",
    "LC_ALL": "the same",
    "LC_CTYPE": "the same",
    "PYTHONUTF8": "of the interpreter; it runs the tests too",
    "GIT_DIR": "git is run without it",
    "GIT_WORK_TREE": "the same",
    "GIT_INDEX_FILE": "the same",
    "GIT_EXTERNAL_DIFF": "the same",
    "GIT_PAGER": "the same",
    "GIT_OPTIONAL_LOCKS": "git is given it",
    "GIT_TERMINAL_PROMPT": "the same",
}
"""What the product names as well, and why a test may see it."""


def is_setting(name: str) -> bool:
    return name.startswith(PREFIXES) or name in NAMES
