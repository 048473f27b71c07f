import type { JsonObject } from './json-object.js';
import type { EmulatedResponse, OutputItem } from './wire.js';

/** The response object as JSON: the body of an answer that is not streamed, and what the terminal event carries. */
export function toWireResponse(response: EmulatedResponse): JsonObject {
  const { id, createdAt, status, output, usage, incompleteReason, error, echo } = response;
  return {
    id,
    object: 'response',
    created_at: createdAt,
    status,
    background: false,
    completed_at: status === 'completed' ? createdAt : null,
    error: error ?? null,
    incomplete_details: incompleteReason === undefined ? null : { reason: incompleteReason },
    output: output.map(toWireItem),
    ...echo,
    ...(usage && { usage }),
  };
}

/** An output item in the API's own shape. */
export const toWireItem = (item: OutputItem): JsonObject => (item.type === 'raw' ? item.item : { ...item });

/** What the API repeats of the request, with its own defaults where the request is silent. */
export function toEcho(body: JsonObject): JsonObject {
  const echoed = Object.entries(body).filter(([name, value]) => name in defaults && value !== undefined);
  return { ...defaults, ...Object.fromEntries(echoed), model: body.model };
}

// The fields and values OpenAI sends for a request of nothing but `model` and `input`.
const defaults: JsonObject = {
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  model: null,
  parallel_tool_calls: true,
  previous_response_id: null,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  service_tier: 'default',
  store: true,
  temperature: 1,
  text: { format: { type: 'text' }, verbosity: 'medium' },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
};
