"""Which files would this command line print? Told without running it.

In reading order:

    syntax      text → nodes: bash's grammar
    expansion   braces and globs
    streams     what flows through a pipe: stretches of files, ranges of ranges
    scope       what a command sees of the shell, and how it takes its words apart
    programs    the lines that a sed, awk, Python or JavaScript program prints
    commands    the table of what reads files           git  its verbs that do
    builtins    the table of what hands on, runs or swallows what others print
    evaluator   nodes → streams → Intake
"""

from priced_context.shell.evaluator import intake_of_command

__all__ = ["intake_of_command"]
