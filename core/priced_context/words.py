"""Stand-in until the recogniser lands."""


def may_read(command: str) -> bool:
    return False
