"""The names of spans and attributes, as the semantic conventions of OpenTelemetry for generative AI have them.

They are pinned here, in one place: the conventions for generative AI are still in development.
"""

from __future__ import annotations

__all__ = [
    "AGENT_NAME", "CACHED_TOKENS", "CHAT", "CONVERSATION", "ERROR_TYPE", "EXECUTE_TOOL", "FINISH_REASONS",
    "INPUT_TOKENS", "INVOKE_AGENT", "MAX_TOKENS", "MODEL", "OPERATION", "OUTPUT_TOKENS", "PROVIDER", "RESPONSE_MODEL",
    "SCHEMA_URL", "TEMPERATURE", "TOOL_NAME", "TOOL_TYPE",
]  # fmt: skip

SCHEMA_URL = "https://opentelemetry.io/schemas/1.44.0"
OPERATION = "gen_ai.operation.name"
INVOKE_AGENT = "invoke_agent"
CHAT = "chat"
EXECUTE_TOOL = "execute_tool"
PROVIDER = "gen_ai.provider.name"
AGENT_NAME = "gen_ai.agent.name"
CONVERSATION = "gen_ai.conversation.id"
MODEL = "gen_ai.request.model"
RESPONSE_MODEL = "gen_ai.response.model"
MAX_TOKENS = "gen_ai.request.max_tokens"
TEMPERATURE = "gen_ai.request.temperature"
FINISH_REASONS = "gen_ai.response.finish_reasons"
INPUT_TOKENS = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
CACHED_TOKENS = "gen_ai.usage.cache_read.input_tokens"
TOOL_NAME = "gen_ai.tool.name"
TOOL_TYPE = "gen_ai.tool.type"
ERROR_TYPE = "error.type"
