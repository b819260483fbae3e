"""What every verb shares when it talks to a person."""


class Trouble(Exception):  # noqa: N818 - it is trouble, not an error in the program
    """Something a person can repair: one sentence with what, where and what to do.

    `cli.main` prints it on stderr and exits 1.
    """
