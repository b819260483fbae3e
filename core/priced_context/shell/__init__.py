"""Which files would this command line print? Told without running it.

In reading order:

    syntax      text → nodes: bash's grammar
    expansion   braces and globs
    streams     what flows through a pipe: stretches of files, ranges of ranges
    scope       what a command sees of the shell, and how it takes its words apart
    selections  the lines that a small program prints
    sed  awk    which those are of its input
    tokens  values  acts  follower  expressions
                a program that opens its files itself, followed statement by statement
    python_calls  python  javascript_calls  javascript
                the two languages of such programs
    copies  filters  searches  languages  git
                the commands that read files, a table each
    evaluator   nodes → streams → Intake
    control     the nodes `if`, `while`, `for`, `case`, `[[`
    directories  state  conditions  wrappers  texts
                the commands that change the shell, run others or hand on what others print

Each loads where it is reached: most lines need one table or two, few need `control`, and one of
plain words needs no grammar.
"""

from priced_context.shell.evaluator import intake_of_command

__all__ = ["intake_of_command"]
