"""`ctx`: the verbs a person or an agent types."""


def main() -> int:
    return 0
