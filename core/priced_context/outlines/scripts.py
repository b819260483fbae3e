"""Scripting languages: Python, Ruby, PHP, Bash; with the extra Lua and Elixir."""

from priced_context.outlines.languages import Language

LANGUAGES = {
    "python": Language("tree_sitter_python", tags=("tree_sitter_python",)),
    "ruby": Language(
        "tree_sitter_ruby",
        tags=("tree_sitter_ruby",),
        query="(program (assignment left: (constant) @name) @definition.constant)",
    ),
    "php": Language(
        "tree_sitter_php",
        entry="language_php",
        tags=("tree_sitter_php",),
        query="""
            (enum_declaration name: (name) @name) @definition.enum
            (const_declaration (const_element (name) @name)) @definition.constant
            (function_call_expression function: (name) @name) @reference.call
        """,
    ),
    # The wheel ships no tags.scm.
    "bash": Language(
        "tree_sitter_bash",
        query="""
            (function_definition name: (word) @name) @definition.function
            (program (variable_assignment name: (variable_name) @name) @definition.variable)
            (command_name (word) @name) @reference.call
        """,
    ),
    "lua": Language("tree_sitter_lua", tags=("tree_sitter_lua",)),
    "elixir": Language("tree_sitter_elixir", tags=("tree_sitter_elixir",)),
}
