"""Systems languages: Go, Rust, C and C++."""

from priced_context.outlines.languages import Language

# The tags that the C and C++ wheels ship take every mention of a struct or an enum for its
# definition, so both have a query of their own.
_C = """
    (struct_specifier name: (_) @name body: (_)) @definition.struct
    (union_specifier name: (_) @name body: (_)) @definition.union
    (enum_specifier name: (_) @name body: (_)) @definition.enum
    (type_definition declarator: (type_identifier) @name) @definition.type
    (preproc_function_def name: (identifier) @name) @definition.macro
    (translation_unit (preproc_def name: (identifier) @name) @definition.constant)
    (call_expression function: (identifier) @name) @reference.call
    (type_identifier) @name @reference.type
"""

LANGUAGES = {
    # Methods lie beside their type: the receiver says whose they are.
    "go": Language(
        "tree_sitter_go",
        tags=("tree_sitter_go",),
        query="""
            (method_declaration
                receiver: (parameter_list (parameter_declaration type: [
                    (type_identifier) @scope
                    (generic_type type: (type_identifier) @scope)
                    (pointer_type (type_identifier) @scope)
                    (pointer_type (generic_type type: (type_identifier) @scope))]))
                name: (field_identifier) @name) @definition.method
            (source_file (const_declaration
                (const_spec name: (identifier) @name)) @definition.constant)
            (source_file (var_declaration
                (var_spec name: (identifier) @name)) @definition.variable)
        """,
    ),
    "rust": Language(
        "tree_sitter_rust",
        tags=("tree_sitter_rust",),
        query="""
            (impl_item trait: (_)? @detail type: (_) @name) @definition.impl
            (function_signature_item name: (identifier) @name) @definition.function
            (source_file (const_item name: (identifier) @name) @definition.constant)
            (source_file (static_item name: (identifier) @name) @definition.constant)
            (type_identifier) @name @reference.type
            (call_expression function: (scoped_identifier
                name: (identifier) @name)) @reference.call
        """,
    ),
    "c": Language(
        "tree_sitter_c",
        query=_C + "(function_declarator declarator: (identifier) @name) @definition.function",
    ),
    "cpp": Language(
        "tree_sitter_cpp",
        query=_C
        + """
            (class_specifier name: (_) @name body: (_)) @definition.class
            (alias_declaration name: (type_identifier) @name) @definition.type
            (concept_definition name: (identifier) @name) @definition.type
            (function_declarator declarator: [(identifier) (field_identifier)
                (qualified_identifier) (destructor_name) (operator_name)]
                @name) @definition.function
            (call_expression function: (field_expression
                field: (field_identifier) @name)) @reference.call
            (call_expression function: (qualified_identifier
                name: (identifier) @name)) @reference.call
        """,
    ),
}
