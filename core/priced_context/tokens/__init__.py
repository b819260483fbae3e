"""Token counts of plain text: tiktoken's own where its ranks load, else an upper estimate."""

from priced_context.tokens.byteclass import upper_bound
from priced_context.tokens.claude import claude_tokens
from priced_context.tokens.ranks import RanksUnavailable, encoding
from priced_context.tokens.text import count_text

__all__ = ["RanksUnavailable", "claude_tokens", "count_text", "encoding", "upper_bound"]
