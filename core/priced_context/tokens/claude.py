"""How many Claude tokens an o200k token is worth, by the look of the text."""


# PLACEHOLDER
def claude_ratio(text: str, family: str) -> float:
    return 1.24 if family == "claude-3-4.6" else 1.6
