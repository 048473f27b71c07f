import { isPlainObject, type PlainObject, objectsOf } from '../shared/json.js';

/** A request body in the form the emulator works with. */
export interface ResponsesRequest {
  readonly model: string;
  /** Everything the model sees, oldest first: earlier responses, then the request's own input. */
  readonly items: readonly PlainObject[];
  readonly tools: readonly FunctionTool[];
  readonly toolChoice: { readonly mode: 'auto' | 'none' | 'required'; readonly name?: string };
  readonly parallelToolCalls: boolean;
  readonly stream: boolean;
  readonly store: boolean;
  readonly includesEncryptedContent: boolean;
  readonly reasoningSummary: boolean;
  readonly reasons: boolean;
  /** The schema the answer must follow, or `undefined` for prose. */
  readonly format?: PlainObject;
  readonly maxOutputTokens?: number;
  readonly body: PlainObject;
}

export interface FunctionTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: PlainObject;
}

/** Reads what the emulator needs from a body; whatever has the wrong type counts as absent. */
export function toRequest(
  body: PlainObject,
  { items, reasons }: { items: readonly PlainObject[]; reasons: boolean },
): ResponsesRequest {
  const reasoning = isPlainObject(body.reasoning) ? body.reasoning : {};
  const toolChoice = toToolChoice(body.tool_choice);
  return {
    model: String(body.model),
    items,
    tools: toFunctionTools(body.tools).filter(
      tool => toolChoice.allowed === undefined || toolChoice.allowed.includes(tool.name),
    ),
    toolChoice,
    parallelToolCalls: body.parallel_tool_calls !== false,
    stream: body.stream === true,
    store: body.store !== false,
    includesEncryptedContent:
      Array.isArray(body.include) && body.include.includes('reasoning.encrypted_content'),
    reasoningSummary: typeof reasoning.summary === 'string' || typeof reasoning.generate_summary === 'string',
    reasons: reasons && reasoning.effort !== 'none',
    format: toFormat(body.text),
    maxOutputTokens: typeof body.max_output_tokens === 'number' ? body.max_output_tokens : undefined,
    body,
  };
}

/** `input` as a list of items; a string is one message of the user. */
export const toInputItems = (input: unknown): PlainObject[] =>
  typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : objectsOf(input);

/** The type of an input item. A message may leave it out. */
export const toItemType = (item: PlainObject): string =>
  typeof item.type === 'string' ? item.type : 'role' in item ? 'message' : '';

function toFunctionTools(tools: unknown): FunctionTool[] {
  return objectsOf(tools)
    .filter(tool => tool.type === 'function')
    .map(tool => ({
      name: String(tool.name),
      description: typeof tool.description === 'string' ? tool.description : '',
      parameters: isPlainObject(tool.parameters) ? tool.parameters : {},
    }));
}

function toToolChoice(
  choice: unknown,
): ResponsesRequest['toolChoice'] & { readonly allowed?: readonly string[] } {
  if (choice === 'none' || choice === 'required') return { mode: choice };
  if (!isPlainObject(choice)) return { mode: 'auto' };
  if (choice.type === 'function') return { mode: 'required', name: String(choice.name) };
  if (choice.type !== 'allowed_tools') return { mode: 'auto' };
  const allowed = objectsOf(choice.tools).map(tool => String(tool.name));
  return { mode: choice.mode === 'required' ? 'required' : 'auto', allowed };
}

function toFormat(text: unknown): PlainObject | undefined {
  if (!isPlainObject(text) || !isPlainObject(text.format)) return undefined;
  const { type, schema } = text.format;
  if (type === 'json_schema') return isPlainObject(schema) ? schema : {};
  return type === 'json_object' ? { type: 'object' } : undefined;
}

/**
 * How the API treats a model id.
 *
 * - `reasoning`: emits reasoning items, refuses `temperature` and `top_p`.
 * - `plain`: an OpenAI model that refuses `reasoning` and encrypted reasoning content.
 * - `unknown`: no id of OpenAI's; takes every parameter and does not reason.
 */
export type ModelKind = 'reasoning' | 'plain' | 'unknown';

/** Reads the kind off a model id. A vendor prefix (`openai/gpt-5`) changes nothing. */
export function toModelKind(modelId: string): ModelKind {
  const name = modelId.slice(modelId.lastIndexOf('/') + 1).toLowerCase();
  if (/^(gpt-[34]|chatgpt|gpt-\d+(\.\d+)?-chat)/.test(name)) return 'plain';
  return /^(o\d|gpt-([5-9]|\d\d)|codex-|computer-use)/.test(name) ? 'reasoning' : 'unknown';
}
