const REASONING_TEXT = 'plain reasoning (`reasoning_text`) is lost';
const HOSTED = 'items of unknown hosted tools are dropped';
const ANNOTATIONS = 'annotations of other types, or that only the finished item contains, are dropped';
const REFUSAL = 'a refusal becomes empty text';
const TRUNCATED_CALL = 'a call truncated by the token limit becomes a stream error';
const FAILURE =
  'a server failure becomes the finish reason `unknown`, or a stream error that the host cannot retry';

const TOKEN_LIMIT = 'a call truncated by the token limit rejects the response';
const HOST_CALL = 'a call that the host must run finishes with `stop`';
const QUERIES = 'the queries of a search are dropped, except for the first';
const NAMESPACE = 'the namespace of a call is dropped';
const LOST_CALL = 'the reasoning and the call are lost, and the response finishes with `error`';
const STREAM_ERRORS =
  'annotations without a title become stream errors, and the response finishes with `error`';

/** Streams that `@ai-sdk/openai` 2 reads incompletely, with what it does. */
const DIFFERENCES_FROM_2: Readonly<Record<string, string>> = {
  'reasoning as full text': REASONING_TEXT,
  'reasoning as full text and as a summary': REASONING_TEXT,
  'a refusal as text': REFUSAL,
  'a response that the token limit truncates within arguments, without the call': TRUNCATED_CALL,
  'agentic-gateway/mcp__mcp-read-resource-Qwen-Qwen3-30B-A3B-FP8-streaming.sse': `${REASONING_TEXT}; ${HOSTED}`,
  'agentic-openai/codex__codex-openai-https-namespace-tool-gpt-4o-streaming.r1.sse': NAMESPACE,
  'fantasy/testdata__TestOpenAIWebSearch__stream.sse': QUERIES,
  'hf-responses.js/mcp_list_failed_stream.sse': FAILURE,
  'mirascope/cassettes__test_refusal__openai_gpt_4o_responses__async_stream.sse': REFUSAL,
  'pydantic-ai/test_deepseek_responses__test_deepseek_responses_text_stream.sse': REASONING_TEXT,
  'pydantic-ai/test_openai_responses__test_openai_include_raw_annotations_streaming.r1.sse': QUERIES,
  'pydantic-ai/test_openai_responses__test_openai_include_raw_annotations_streaming.r2.sse': QUERIES,
  'pydantic-ai/test_openai_responses__test_openai_responses_code_execution_return_image_stream.sse':
    ANNOTATIONS,
  'pydantic-ai/test_openai_responses__test_openai_responses_model_mcp_server_tool_stream.sse': HOSTED,
  'pydantic-ai/test_tool_search__test_openai_client_tool_search_streaming.r1.sse': HOSTED,
  'pydantic-ai/test_tool_search__test_openai_client_tool_search_streaming.r2.sse': NAMESPACE,
  'rig-openai/streaming_grammar__incomplete_mid_tool_call.sse': TRUNCATED_CALL,
  'ruby_llm/chat_responses_protocol_dialects_with_deepseek_deepseek-v4-flash_streams_reasoning_deltas.sse':
    REASONING_TEXT,
  'ruby_llm/providers_bedrock_mantle_responses_chat_streams_through_the_responses_surface.sse':
    REASONING_TEXT,
  'vercel-openai/github-copilot-id-rotation.1.sse': 'ids that change with every event end the stream',
  'vercel-openai/openai-apply-patch-tool-delete.1.sse': HOSTED,
  'vercel-openai/openai-client-tool-search.1.sse': HOSTED,
  'vercel-openai/openai-code-interpreter-tool.1.sse': ANNOTATIONS,
  'vercel-openai/openai-compaction.1.sse': HOSTED,
  'vercel-openai/openai-error.1.sse': FAILURE,
  'vercel-openai/openai-local-shell-tool.1.sse': HOST_CALL,
  'vercel-openai/openai-mcp-tool-approval.3.sse': HOSTED,
  'vercel-openai/openai-mcp-tool-approval.4.sse': HOSTED,
  'vercel-openai/openai-mcp-tool.1.sse': HOSTED,
  'vercel-openai/openai-shell-container.1.sse': HOSTED,
  'vercel-openai/openai-tool-search.1.sse': HOSTED,
  'vercel-openai/programmatic-tool-calling.3.sse': HOSTED,
  'vercel-xai/xai-web-search-tool.1.sse': ANNOTATIONS,
  'vercel-xai/xai-x-search-tool.sse': `${HOSTED}; ${ANNOTATIONS}`,
  'vllm/tool_calls__multi_turn__responses_tool_calls_3turn_streaming.r1.sse':
    'the call is lost and the response finishes with `stop`',
  'vllm/tool_calls__multi_turn__responses_tool_calls_3turn_streaming.r2.sse':
    'the call is lost and the response finishes with `stop`',
  'vllm/tool_calls__multi_turn__responses_tool_calls_3turn_streaming.r3.sse':
    'the call is lost and the response finishes with `stop`',
};

/** Streams that `@ai-sdk/openai` 4 reads incompletely or differently, with what it does. */
const DIFFERENCES_FROM_4: Readonly<Record<string, string>> = {
  'reasoning as full text': REASONING_TEXT,
  'reasoning as full text and as a summary': REASONING_TEXT,
  'a response that the token limit truncates within arguments, without the call': TOKEN_LIMIT,
  'agentic-gateway/mcp__mcp-read-resource-Qwen-Qwen3-30B-A3B-FP8-streaming.sse': `${REASONING_TEXT}; ${HOSTED}`,
  'hf-responses.js/mcp_list_failed_stream.sse': FAILURE,
  'pydantic-ai/test_deepseek_responses__test_deepseek_responses_text_stream.sse': REASONING_TEXT,
  'pydantic-ai/test_tool_search__test_openai_client_tool_search_streaming.r1.sse': HOST_CALL,
  'rig-openai/streaming_grammar__incomplete_mid_tool_call.sse': TOKEN_LIMIT,
  'ruby_llm/chat_responses_protocol_dialects_with_deepseek_deepseek-v4-flash_streams_reasoning_deltas.sse':
    REASONING_TEXT,
  'ruby_llm/providers_bedrock_mantle_responses_chat_streams_through_the_responses_surface.sse':
    REASONING_TEXT,
  'vercel-azure/azure-web-search-preview-tool.1.sse': 'the action of a search is dropped',
  'vercel-openai/openai-client-tool-search.1.sse': HOST_CALL,
  'vercel-openai/openai-image-generation-tool.1.sse':
    'a partial image becomes a separate result, which hosts keep in addition to the final one',
  'vercel-openai/openai-local-shell-tool.1.sse': HOST_CALL,
  'vercel-openai/openai-mcp-tool-approval.3.sse': 'a call that waits for approval finishes with `stop`',
  'vercel-xai/xai-web-search-tool.1.sse': STREAM_ERRORS,
  'vercel-xai/xai-x-search-tool.sse': `custom tools of the server become calls of the host; ${STREAM_ERRORS}`,
  'vllm/tool_calls__multi_turn__responses_tool_calls_3turn_streaming.r1.sse': LOST_CALL,
  'vllm/tool_calls__multi_turn__responses_tool_calls_3turn_streaming.r2.sse': LOST_CALL,
  'vllm/tool_calls__multi_turn__responses_tool_calls_3turn_streaming.r3.sse': LOST_CALL,
};

/** Known differences by the major version of the official provider and the name of the stream. */
export const KNOWN_DIFFERENCES: Readonly<Record<2 | 4, Readonly<Record<string, string>>>> = {
  2: DIFFERENCES_FROM_2,
  4: DIFFERENCES_FROM_4,
};
