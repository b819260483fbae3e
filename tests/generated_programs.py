"""Random one-line programs in awk, Python and JavaScript that read a file of `bash_truth.SMALL`.

Each is a way to get at a file, put together with a way to print it, under a condition or not.
None prints to standard error: the recogniser takes that for standard output.
"""

import random

FILES = ("a.txt", "a.txt", "b.txt", "c.md", "e.raw", "sub/i.txt", "empty.txt", "nope.txt")


class Programs:
    """A source of programs; they hold no double quote, no `$` and no backquote."""

    def __init__(self, source: random.Random) -> None:
        self.random = source

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def number(self) -> int:
        return self.random.choice((0, 1, 2, 3, 5, 8, 12, 39, 40, 41, 100))

    def bounds(self) -> tuple[int, int]:
        low, high = sorted((self.number(), self.number()))
        return low, high

    # Python

    def python(self) -> str:
        """Return a program of several lines."""
        if self.random.random() < 0.15:
            return self.python_data()
        kind = self.pick("text", "text", "lines", "lines", "file")
        made = self.python_made(kind)
        used = self.python_used(kind)
        used = self.pick(*[used] * 6, *self.python_guards(used))
        before = self.pick(
            *[""] * 12, "import os\n", "print('head')\n", "x = 1 / 0\n" * 0, "exit()\n"
        )
        after = self.pick(*[""] * 6, "print('done')", self.python_used(kind), "print(s)")
        imports = "import sys, json, itertools\nfrom pathlib import Path\n"
        return imports + before + made + "\n" + used + "\n" + after

    def python_path(self) -> tuple[str, str]:
        """Return statements that may be needed, and an expression for a path."""
        name = self.random.choice(FILES)
        folder, _, last = name.rpartition("/")
        return self.random.choice(
            [
                ("", f"'{name}'"),
                ("", f"'{name}'"),
                (f"p = '{name}'", "p"),
                (f"p = Path('{name}')", "p"),
                ("", f"Path('{name}')"),
                ("", f"Path('{folder}', '{last}')"),
                ("", f"Path('{folder}') / '{last}'"),
                ("", f"'{name[:2]}' + '{name[2:]}'"),
                (f"a, p = 1, '{name}'", "p"),
                (f"import os; os.chdir('{folder or '.'}')", f"'{last}'"),
                (f"p = '{name}' if len(sys.argv) > 5 else 'b.txt'", "p"),
            ]
        )

    def python_made(self, kind: str) -> str:
        before, path = self.python_path()
        opened = self.pick(f"open({path})", f"open({path}, 'r')", f"open({path}, encoding='utf-8')")
        read = self.pick(
            f"{opened}.read()", f"{opened}.read()", f"Path({path}).read_text()",
            f"open({path}, 'rb').read().decode()", f"{opened}.read().strip()",
        )  # fmt: skip
        low, high = self.bounds()
        made = {
            "text": self.pick(
                f"s = {read}",
                f"with {opened} as f:\n    s = f.read()",
                f"f = {opened}\ns = f.read()",
                f"s = ''.join({opened}.readlines())",
                f"s = ''\nfor l in {opened}:\n    s += l",
                f"f = {opened}\nf.readline()\ns = f.read()",
                f"s = {read}[:{high}]",
                f"try:\n    s = {read}\nexcept OSError:\n    s = 'none'",
                f"def load():\n    return {read}\ns = load()",
            ),
            "lines": self.pick(
                f"lines = {opened}.readlines()",
                f"lines = {read}.splitlines()",
                f"lines = {read}.split('\\n')",
                f"with {opened} as f:\n    lines = f.readlines()",
                f"lines = list({opened})",
                f"lines = list(itertools.islice({opened}, {high}))",
                f"lines = list(itertools.islice({opened}, {low}, {high}))",
                f"lines = {read}.split({self.pick('', repr('='), repr(' '), repr('pay'))})",
                f"lines = [l for l in {opened}]",
                f"lines = [l.rstrip() for l in {opened}{self.pick('', ' if l > repr(9)')}]",
                f"lines = []\nfor l in {opened}:\n    lines.append(l)",
            ),
            "file": f"f = {opened}",
        }[kind]
        return f"{before}\n{made}".strip()

    def python_used(self, kind: str) -> str:
        low, high = self.bounds()
        out = self.pick("print", "print", "sys.stdout.write")
        if kind == "text":
            return self.pick(
                f"{out}(s)", "print(s, end='')", f"{out}(s[:{high}])", f"print(s[{low}:{high}])",
                "print(len(s))", "print('x:', s)", "print(f'{s}')", "print(f'<{s}>', 1)",
                f"print(s.splitlines()[{low}:{high}])", "print(*s.splitlines(), sep='\\n')",
                f"print('\\n'.join(s.split('\\n')[{low}:{high}]))", "print(s.count('pay'))",
                f"for c in s[:{high}]: print(c, end='')", "print(s.replace('pay', ''))",
                "print(s if len(s) > 99 else 'short')", "len(s) > 99 and print(s)",
                "print(s.partition('5')[0])", "print('5' in s, s.find('9'))", "print([s])",
                f"print(s.strip()[:{high}])", "Path('../new').write_text(s)\nprint('done')",
                "t = s\nprint(t)", "s = 'x'\nprint(s)", "print(repr(s))",
                f"for l in s.splitlines()[{low}:{high}]:\n    print(l)", "print(s.upper())",
                "print('%s' % s)", "print(s + '!')", "print('a' + s)", "print(s * 2)",
                "open('../new', 'w').write(s.replace('a', 'b'))", "print(s.split()[:3])",
                f"lines = s.splitlines()\nfor i in range({low}, 9):\n    print(lines[i:i + 1])",
            )  # fmt: skip
        values = "lines" if kind == "lines" else "f"
        if kind == "lines" and self.random.random() < 0.5:
            return self.pick(
                "print(lines)", f"print(lines[{low}:{high}])",
            f"print(''.join(lines[{low}:{high}]))",
                f"print('\\n'.join(lines[:{high}]))", "print(*lines)", "print(*lines, sep='\\n')",
                f"print(lines[{low}])", f"print(lines[-{high + 1}:])", "print(len(lines))",
                f"print(''.join(lines[-{high + 1}:]))", f"print(lines[:-{high + 1}])",
                f"print(lines[{low}:{high}:2])", "print(sorted(lines))", "print(lines[::-1])",
                f"lines = lines[{low}:{high}]\nprint(lines)", f"print(lines[{low}][:3])",
                "sys.stdout.writelines(lines)", f"sys.stdout.writelines(lines[{low}:{high}])",
                "print(max(lines, default=''))", "print([len(l) for l in lines][:2])",
                "print(json.dumps(lines))", "print(''.join(l for l in lines if '5' in l))",
            )  # fmt: skip
        return self.python_loop(values, low, high)

    def python_loop(self, values: str, low: int, high: int) -> str:
        if self.random.random() < 0.25:
            return self.pick(
                f"[print(l) for l in {values}]", f"[print(l) for l in {values} if '5' in l]",
                f"print(sum(1 for _ in {values}))", f"print(''.join(l for l in {values}))",
                f"print(''.join(f'{{i}}: {{l}}' for i, l in enumerate({values}, 1)))",
                f"print(*[l for i, l in enumerate({values}) if i < {high}])",
                f"print(*(l.strip() for l in {values}), sep='\\n')",
            )  # fmt: skip
        head, has_number = self.random.choice(
            [
                (f"for l in {values}:", False),
                (f"for l in {values}:", False),
                (f"for i, l in enumerate({values}):", True),
                (f"for i, l in enumerate({values}, 1):", True),
                (f"for i, l in enumerate({values}, start=1):", True),
                (f"for l in itertools.islice({values}, {low}, {high}):", False),
                (f"for l in sorted({values}):", False),
            ]
        )
        shown = self.pick("l", "l", "l.rstrip()", "l[:4]", "l.split('=')[0]", "f'> {l}'", "len(l)")
        if has_number:
            shown = self.pick(shown, f"i, {shown}", f"i, {shown}", "f'{i}: {l.rstrip()}'", "i")
        show = self.pick(f"print({shown})", f"print({shown}, end='')")
        condition = self.pick(
            "'5' in l", "l.strip()", *[f"i < {high}", f"{low} <= i <= {high}"] * 2 * has_number
        )
        body = self.pick(
            *[show] * 5, f"if {condition}: {show}", f"if {condition}:\n        {show}",
            f"{show}\n    if {condition}: break", f"if {condition}: continue\n    {show}",
            f"{show} if {condition} else None", f"l = l.strip()\n    {show}",
            f"l = l[:3]\n    {show}",
            f"{condition} and {show}", "pass", f"n = len(l)\n    {show}",
            f"try:\n        {show}\n    except OSError: pass", f"for _ in range(2): {show}",
        )  # fmt: skip
        return f"{head}\n    {body}" + self.pick("", "", "\nprint(l)", "\nprint('done')")

    def python_guards(self, used: str) -> list[str]:
        inner = used.replace("\n", "\n    ")
        return [
            f"if len(sys.argv) > 5:\n    {inner}",
            f"if len(sys.argv) < 5:\n    {inner}",
            f"if __name__ == '__main__':\n    {inner}",
            f"try:\n    {inner}\nexcept Exception as e:\n    print(type(e))",
            f"def main():\n    {inner}",
            f"def main():\n    {inner}\nmain()",
            f"while True:\n    {inner}\n    break",
            f"if len(sys.argv) > 5: sys.exit()\n{used}",
            f"assert len(sys.argv) > 5\n{used}",
            f"for _ in range(2):\n    {inner}",
            f"for _ in ['x']:\n    {inner}",
            f"sys.exit(1)\n{used}",
        ]

    def python_data(self) -> str:
        low, high = self.bounds()
        made = self.pick(
            "d = json.load(open('f.json'))",
            "with open('f.json') as f: d = json.load(f)",
            "d = json.loads(open('f.json').read())",
            "d = json.loads(Path('f.json').read_text())",
        )
        used = self.pick(
            "print(d)", f"print(d[:{high}])", f"print(d[{low}:{high}])", "print(json.dumps(d))",
            "print(json.dumps(d, indent=2))", f"print(json.dumps(d[:{high}]))", "print(len(d))",
            f"print(json.dumps(d)[:{high}])", f"for x in d[:{high}]: print(x)", "print(d[0])",
            "for x in d: print(x)", "for i, x in enumerate(d): print(i, x)", "print(str(d)[:50])",
            "json.dump(d, sys.stdout)", "json.dump(d, sys.stdout, indent=1)", "pprint(d)",
            "print([x for x in d if len(x) > 5])", "print(type(d), d == 5)", "print(*d)",
        )  # fmt: skip
        return (
            f"import json, sys\nfrom pathlib import Path\nfrom pprint import pprint\n{made}\n{used}"
        )

    # JavaScript

    def node(self) -> str:
        low, high = self.bounds()
        name = self.random.choice(FILES)
        read = self.pick(
            f"fs.readFileSync('{name}', 'utf8')", f"fs.readFileSync('{name}').toString()",
            f"fs.readFileSync('{name}', {{encoding: 'utf8'}})", f"fs.readFileSync('{name}')",
        )  # fmt: skip
        made = self.pick(
            "const fs = require('fs'); ",
            "const {readFileSync} = require('node:fs'); const fs = {readFileSync}; ",
            "const fs = require('fs'), n = 1\n",
        )
        out = self.pick("console.log", "console.log", "process.stdout.write")
        used = self.pick(
            f"{out}(s)", f"{out}(s.toString())", f"console.log(s.slice(0, {high}))",
            f"console.log(String(s).split('\\n').slice({low}, {high}).join('\\n'))",
            "console.log(s.length)", "s.length > 99 && console.log(s)", "console.log('x', s)",
            f"console.log(s.toString().split('\\n')[{low}])", "console.log({s})",
            "console.log(s.toString().split('\\n'))", "console.log(s.length > 9 ? s : 'no')",
            "if (s.length > 99) console.log(s)",
            "if (s.length > 99) { console.log(1) } else console.log(s)",
            "for (const l of s.toString().split('\\n')) console.log(l)",
            "for (const l of s.toString().split('\\n')) { if (l.includes('5')) console.log(l) }",
            "s.toString().split('\\n').forEach(l => console.log(l))",
            "s.toString().split('\\n').forEach((l, i) => { if (i < 5) console.log(i, l) })",
            "try { console.log(s) } catch (e) { console.log(e) }", "const f = () => console.log(s)",
            "const f = () => console.log(s)\nf()", "function f() { console.log(s) }\nf()",
            "fs.writeFileSync('../new', s); console.log('done')", "console.log(JSON.stringify(s))",
            "console.log(s + '')", "console.log(s.toString().trim())", "console.dir(s)",
            "console.log(s.toString().replace(/pay/g, 'paid'))", "process.exit(); console.log(s)",
            "console.log(s.toString().split(/\\r?\\n/).slice(0, 3).join('\\n'))",
        )  # fmt: skip
        data = self.pick(
            "const d = require('./f.json'); JSON.stringify(1); ",  # without it nobody looks
            "const d = JSON.parse(require('fs').readFileSync('f.json')); ",
        ) + self.pick(
            "console.log(d)", "console.log(JSON.stringify(d))",
            "console.log(JSON.stringify(d, null, 2))",
            "console.log(d[0])", "console.log(d.length)",
            "console.log(JSON.stringify(d.slice(0, 3)))",
            "for (const x of d) console.log(x)", "console.log(JSON.stringify(d).slice(0, 40))",
            "console.table(d)", "console.log(d.map(x => Object.keys(x)))", "console.dir(d)",
        )  # fmt: skip
        others = self.pick(
            f"require('fs').readFile('{name}', 'utf8', (e, d) => console.log(d))",
            f"require('fs').createReadStream('{name}').pipe(process.stdout)",
            "process.chdir('sub'); console.log(require('fs').readFileSync('i.txt', 'utf8'))",
            f"import('fs').then(fs => console.log({read}))",
        )
        return self.pick(*[f"{made}const s = {read}; {used}"] * 6, data, data, others)

    # awk

    def awk(self) -> str:
        low, high = self.bounds()
        condition = self.pick(
            "", "", f"NR<={high}", f"NR>{low} && NR<={high}", f"NR=={low},NR=={high}",
            "/5/", "!/5/",
            f"FNR<={high}", f"FNR=={low},FNR=={high}", "NR==FNR", f"FNR=={low} && NR!={low}",
            "NR%2", f"NR=={low} || NR=={high}", f"!(NR>{low})", "$3>5", "/1/,/5/", "FNR==1",
        )  # fmt: skip
        body = self.pick(
            "print", "print", "print $0", "print($0)", "print ($0)", "print $1", "print NR, $0",
            'print NR": "$0', 'printf "%s\\n", $0', 'printf("%5d %s\\n", NR, $0)',
            'printf "%s", $0', 'printf "%.3s\\n", $0', 'printf "%s\\n", $1', "next", "exit",
            "n += $3", "n++", "c[$1]++", 's = s $0 "\\n"', "last = $0", '$2 = "x"; print',
            "print; exit", "print FNR, $0", "if (NR > 3) print", "if (NR > 3)\nprint",
            "if ($3 > 3) {\nprint\n}", "if (NR > 3) print; else print $1", 'sub(/pay/, ""); print',
            "for (i = 1; i <= 2; i++) print", "print length($0), $0", 'printf "%s ", $0',
            "s += length($0)", "print $1, NF", "n += NF", "print substr($0, 1, 5)",
        )  # fmt: skip
        end = self.pick(
            *[""] * 5, " END {print n}", " END {print NR}", " END {print}", " END {print s}",
            " END {print $0}", " END {print last}", " END {print s / NR}", " {print}", " 1",
            " END {for (k in c) print k}",
        )  # fmt: skip
        return f"{condition} {{{body}}}{end}"
