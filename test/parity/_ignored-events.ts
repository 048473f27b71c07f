/** Events without new content, which the package ignores. */
export const IGNORED_EVENTS: readonly string[] = [
  // The text of a content part has its own events, and the finished item repeats it.
  'response.content_part.added',
  'response.content_part.done',
  'response.reasoning_summary_part.done',

  // The finished item contains the input.
  'response.code_interpreter_call_code.done',
  'response.custom_tool_call_input.done',
  'response.mcp_call_arguments.delta',
  'response.mcp_call_arguments.done',

  // The item of the output contains the text. Hosts cannot show a part of a result.
  'response.shell_call_output_content.delta',
  'response.shell_call_output_content.done',

  // The item contains the status of the call.
  'response.code_interpreter_call.in_progress',
  'response.code_interpreter_call.interpreting',
  'response.code_interpreter_call.completed',
  'response.file_search_call.in_progress',
  'response.file_search_call.searching',
  'response.file_search_call.completed',
  'response.image_generation_call.in_progress',
  'response.image_generation_call.generating',
  'response.image_generation_call.completed',
  'response.mcp_call.in_progress',
  'response.mcp_call.completed',
  'response.mcp_call.failed',
  'response.mcp_list_tools.in_progress',
  'response.mcp_list_tools.completed',
  'response.mcp_list_tools.failed',
  'response.web_search_call.in_progress',
  'response.web_search_call.searching',
  'response.web_search_call.completed',

  // The compaction item follows, sometimes after a long pause.
  'response.compaction.compacting',

  // They answer events of a WebSocket client. The steered response continues with `response.created`.
  'response.steer.accepted',
  'response.steer.pending',
  'response.steer.failed',
  'response.inject.created',
  'response.inject.failed',

  'keepalive',
];
