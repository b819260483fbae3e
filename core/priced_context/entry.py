"""Where `ctx` starts: Ctrl-C ends it without a traceback while it is still being imported."""


def main() -> int:
    """Run `cli.main`; return the process's exit code."""
    try:
        from priced_context import cli

        return cli.main()
    except KeyboardInterrupt:
        return 130
