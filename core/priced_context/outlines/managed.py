"""Languages of classes on a runtime: Java, C#; with the extra Kotlin, Scala and Swift."""

from priced_context.outlines.languages import Language

LANGUAGES = {
    "java": Language(
        "tree_sitter_java",
        tags=("tree_sitter_java",),
        query="""
            (constructor_declaration name: (identifier) @name) @definition.constructor
            (compact_constructor_declaration name: (identifier) @name) @definition.constructor
            (enum_declaration name: (identifier) @name) @definition.enum
            (record_declaration name: (identifier) @name) @definition.record
            (annotation_type_declaration name: (identifier) @name) @definition.interface
            (type_identifier) @name @reference.type
            (method_invocation object: (identifier) @name) @reference.class
        """,
    ),
    # The shipped tags do not know structs, enums, records, constructors and properties.
    "csharp": Language(
        "tree_sitter_c_sharp",
        query="""
            (class_declaration name: (identifier) @name) @definition.class
            (struct_declaration name: (identifier) @name) @definition.struct
            (record_declaration name: (identifier) @name) @definition.record
            (interface_declaration name: (identifier) @name) @definition.interface
            (enum_declaration name: (identifier) @name) @definition.enum
            (delegate_declaration name: (identifier) @name) @definition.type
            (method_declaration name: (identifier) @name) @definition.method
            (constructor_declaration name: (identifier) @name) @definition.constructor
            (local_function_statement name: (identifier) @name) @definition.function
            (property_declaration name: (identifier) @name) @definition.property
            (object_creation_expression type: (identifier) @name) @reference.class
            (base_list (identifier) @name) @reference.class
            (variable_declaration type: (identifier) @name) @reference.class
            (parameter type: (identifier) @name) @reference.class
            (invocation_expression function: (identifier) @name) @reference.call
            (member_access_expression name: (identifier) @name) @reference.call
        """,
    ),
    # The wheel ships no tags.scm.
    "kotlin": Language(
        "tree_sitter_kotlin",
        query="""
            (class_declaration name: (identifier) @name) @definition.class
            (object_declaration name: (identifier) @name) @definition.object
            (function_declaration name: (identifier) @name) @definition.function
            (source_file (property_declaration
                (variable_declaration (identifier) @name)) @definition.property)
            (call_expression (identifier) @name) @reference.call
            (user_type (identifier) @name) @reference.type
        """,
    ),
    "scala": Language("tree_sitter_scala", tags=("tree_sitter_scala",)),
    # The shipped tags take the class for the definition of a method; the smallest node counts.
    "swift": Language(
        "tree_sitter_swift",
        tags=("tree_sitter_swift",),
        query="""
            (init_declaration "init" @name) @definition.method
            (protocol_function_declaration
                name: (simple_identifier) @name) @definition.method
            (call_expression (simple_identifier) @name) @reference.call
            (user_type (type_identifier) @name) @reference.type
        """,
    ),
}
