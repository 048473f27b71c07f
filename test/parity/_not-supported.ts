/**
 * Parts of the API and of the official provider that this package does not send, show or replay, with the reason. The comparison
 * contains this list (`test/differential/README.md`), and the parity test fails for everything that is neither handled nor
 * listed here, and for entries of this list that are handled.
 */
export const NOT_SUPPORTED = {
  'request parameters': {},
  'provider options': {},
  'tool options': {},
  'input items': {
    mcp_list_tools: 'The API lists the tools again.',
    code_interpreter_call:
      'Sent as a reference with `store: true`, and in full only within a turn of the tool loop.',
    file_search_call:
      'Sent as a reference with `store: true`, and in full only within a turn of the tool loop.',
  },
  'output items': {
    mcp_list_tools: 'The API lists the tools again.',
  },
  'stream events': {
    'response.audio.delta': 'Text models send no audio.',
    'response.audio.done': 'Text models send no audio.',
    'response.audio.transcript.delta': 'Text models send no audio.',
    'response.audio.transcript.done': 'Text models send no audio.',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;
