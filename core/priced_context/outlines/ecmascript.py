"""JavaScript, TypeScript and TSX."""

from priced_context.outlines.languages import Language

# What the shipped tags leave out: constructors, private and computed methods, class fields that
# are functions, and the objects at a module's top.
_OWN = """
    (method_definition name: (property_identifier) @name
        (#eq? @name "constructor")) @definition.method
    (method_definition name: [(private_property_identifier) (string) (computed_property_name)]
        @name) @definition.method
    (program (_ (variable_declarator
        name: (identifier) @name value: [(object) (array)])) @definition.object)
    (program (export_statement (_ (variable_declarator
        name: (identifier) @name value: [(object) (array)])) @definition.object))
"""
_TYPESCRIPT = """
    (type_alias_declaration name: (type_identifier) @name) @definition.type
    (enum_declaration name: (identifier) @name) @definition.enum
    (internal_module name: (_) @name) @definition.module
    (module name: (string) @name) @definition.module
    (public_field_definition name: (property_identifier) @name
        value: [(arrow_function) (function_expression)]) @definition.method
"""
_TYPESCRIPT_TAGS = ("tree_sitter_javascript", "tree_sitter_typescript")

LANGUAGES = {
    "javascript": Language(
        "tree_sitter_javascript",
        tags=("tree_sitter_javascript",),
        query=_OWN
        + """
            (field_definition property: (property_identifier) @name
                value: [(arrow_function) (function_expression)]) @definition.method
        """,
    ),
    "typescript": Language(
        "tree_sitter_typescript",
        entry="language_typescript",
        tags=_TYPESCRIPT_TAGS,
        query=_OWN + _TYPESCRIPT,
    ),
    "tsx": Language(
        "tree_sitter_typescript",
        entry="language_tsx",
        tags=_TYPESCRIPT_TAGS,
        query=_OWN + _TYPESCRIPT,
    ),
}
