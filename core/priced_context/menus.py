"""Which files have a menu, and what it costs at most: what a refusal may promise.

`outlines` makes the menus and holds them to these.
"""

from priced_context.files import kind_of
from priced_context.places import project_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from priced_context.records import ToolCall

# What has an outline worth more than its last lines: code, markup, data.
HAS_MENU = (
    " py pyi pyw js mjs cjs jsx ts mts cts tsx go rs java c h cc cpp cxx hh hpp hxx cs rb rake"
    " gemspec php phtml sh bash kt kts swift scala sc lua ex exs pl pm r jl hs clj cljs cljc el"
    " lisp scm erl dart zig m mm sql css scss less html htm xml vue svelte md mdx markdown rst adoc"
    " asciidoc tex sty cls json jsonc json5 geojson webmanifest har jsonl ndjson yaml yml toml ini"
    " cfg conf properties csv tsv proto graphql gql tf hcl cmake mk gradle "
)

MENU_CEILING = 1_500
"""No menu is larger, whatever is asked for. All of these are conservative counts."""
MENU_TOKENS = 600
MENU_SHARE = 15
"""A menu is held under the smaller of `MENU_TOKENS` and this part of its file's price …"""
LEAST_MENU_TOKENS = 200
"""… but may take this: what a refusal costs, and about fifteen symbols."""
MOST_MENU_TOKENS = 880
MENU_TOP_SHARE = 14
SMALL_FILE_TOKENS = 5_000
"""Where a file's few top-level symbols need more room, its menu may take the smaller of
`MOST_MENU_TOKENS` and this part of the price; of a small file any part."""
MENU_LABEL = "~500"
"""What any menu that nobody set a budget for is quoted at: 880 counted high is under 707."""


def has_menu(path: str) -> bool:
    """Say whether `ctx stats` shows more of a file than its first lines."""
    return f" {kind_of(path)} " in HAS_MENU


def menu_budget(file_tokens: int) -> int:
    """Return what the menu of a file at this price costs at most, in tokens."""
    return max(LEAST_MENU_TOKENS, min(MENU_TOKENS, file_tokens // MENU_SHARE))


def most_menu_tokens(file_tokens: int) -> int:
    """Return what that menu costs at most where the file's top level needs more room."""
    if file_tokens < SMALL_FILE_TOKENS:
        return MOST_MENU_TOKENS
    return min(MOST_MENU_TOKENS, file_tokens // MENU_TOP_SHARE)


def menu_handle(path: str, call: "ToolCall") -> str:
    """Return how an agent asks for a file's menu; "" without one, or outside the project.

    After a change of folder `repo:` would count from another place, so it is the path then.
    """
    project = project_of(call)
    if not has_menu(path) or not path.startswith(project + "/"):
        return ""
    return f"repo:{path[len(project) + 1 :]}" if project == call.cwd else path
