import {
  isPlainObject,
  numberOf,
  objectOf,
  objectsOf,
  type PlainObject,
  stringOf,
} from '../../shared/json.js';

/** A request body as the emulator reads it. */
export interface ResponsesRequest {
  readonly model: string;
  /** The conversation, oldest item first: earlier responses, then the input of this request. */
  readonly items: readonly PlainObject[];
  /** The items that the prompt consists of: those from the newest compaction on. */
  readonly shownItems: readonly PlainObject[];
  /** The functions that the model sees, those that it has found included. */
  readonly tools: readonly FunctionTool[];
  /** The deferred functions that a tool search would find. */
  readonly searchableTools: readonly FunctionTool[];
  readonly toolChoice: { readonly mode: 'auto' | 'none' | 'required'; readonly name?: string };
  readonly parallelToolCalls: boolean;
  readonly stream: boolean;
  readonly store: boolean;
  readonly includesEncryptedContent: boolean;
  readonly reasoningSummary: boolean;
  readonly reasons: boolean;
  /** The JSON Schema of the response, or `undefined` for plain text. */
  readonly format?: PlainObject;
  readonly maxOutputTokens?: number;
  readonly body: PlainObject;
}

export interface FunctionTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: PlainObject;
  readonly namespace?: string;
  readonly definition: PlainObject;
}

/** Reads the fields that the emulator uses. A field of the wrong type counts as missing. */
export function toRequest(
  body: PlainObject,
  {
    items,
    shownItems = items,
    reasons,
  }: { items: readonly PlainObject[]; shownItems?: readonly PlainObject[]; reasons: boolean },
): ResponsesRequest {
  const reasoning = objectOf(body.reasoning) ?? {};
  const toolChoice = toToolChoice(body.tool_choice);
  const isAllowed = ({ name }: FunctionTool): boolean => toolChoice.allowed?.includes(name) !== false;
  const { tools, searchable } = toAvailableTools(body.tools, items);
  return {
    model: String(body.model),
    items,
    shownItems,
    tools: tools.filter(isAllowed),
    searchableTools: toolChoice.allowed === undefined ? searchable : [],
    toolChoice,
    parallelToolCalls: body.parallel_tool_calls !== false,
    stream: body.stream === true,
    store: body.store !== false,
    includesEncryptedContent:
      Array.isArray(body.include) && body.include.includes('reasoning.encrypted_content'),
    reasoningSummary: typeof reasoning.summary === 'string' || typeof reasoning.generate_summary === 'string',
    reasons: reasons && reasoning.effort !== 'none',
    format: toFormat(body.text),
    maxOutputTokens: numberOf(body.max_output_tokens),
    body,
  };
}

/** Converts `input` to a list of items. A string becomes one user message. */
export const toInputItems = (input: unknown): PlainObject[] =>
  typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : objectsOf(input);

/** Returns the type of an input item. Messages may omit it. */
export const toItemType = (item: PlainObject): string =>
  typeof item.type === 'string' ? item.type : 'role' in item ? 'message' : '';

/** Returns the functions of a request: those of `tools`, and those that the conversation loaded. */
function toAvailableTools(
  tools: unknown,
  items: readonly PlainObject[],
): { tools: FunctionTool[]; searchable: FunctionTool[] } {
  const loaded = items
    .filter(({ type }) => type === 'additional_tools' || type === 'tool_search_output')
    .flatMap(({ type, tools: found }) =>
      // The API calls a function that a search has found in a namespace with the name of the function.
      toFunctionTools(found).map(tool => ({
        ...(type === 'tool_search_output' && { namespace: tool.name }),
        ...tool,
      })),
    );
  const toKey = ({ name, namespace = name }: FunctionTool): string => `${namespace}.${name}`;
  const declared = toFunctionTools(tools);
  const visible = declared.filter(({ definition }) => definition.defer_loading !== true);
  const byKey = new Map([...visible, ...loaded].map(tool => [toKey(tool), tool]));
  const isSearching = objectsOf(tools).some(({ type }) => type === 'tool_search');
  const hidden = isSearching ? declared.filter(tool => !byKey.has(toKey(tool))) : [];
  return { tools: [...byKey.values()], searchable: hidden };
}

/**
 * Returns the tools as they are in the prompt: of a deferred function only name and description, of a namespace with
 * nothing but deferred functions only its own.
 */
export const toShownTools = (tools: unknown): PlainObject[] =>
  objectsOf(tools).map(tool => {
    if (tool.type === 'namespace') {
      const shown = objectsOf(tool.tools).filter(({ defer_loading: isDeferred }) => isDeferred !== true);
      return { ...tool, tools: shown };
    }
    if (tool.defer_loading !== true) return tool;
    return { type: tool.type, name: tool.name, description: tool.description };
  });

function toFunctionTools(tools: unknown, namespace?: string): FunctionTool[] {
  return objectsOf(tools).flatMap((tool): FunctionTool[] => {
    if (tool.type === 'namespace') return toFunctionTools(tool.tools, String(tool.name));
    if (tool.type !== 'function') return [];
    return [
      {
        name: String(tool.name),
        description: stringOf(tool.description),
        parameters: objectOf(tool.parameters) ?? {},
        ...(namespace !== undefined && { namespace }),
        definition: tool,
      },
    ];
  });
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
  if (type === 'json_schema') return objectOf(schema) ?? {};
  return type === 'json_object' ? { type: 'object' } : undefined;
}

/**
 * Parameter rules of a model id.
 *
 * - `reasoning`: emits reasoning items and rejects `temperature` and `top_p`.
 * - `plain`: an OpenAI model that rejects `reasoning` and encrypted reasoning content.
 * - `unknown`: not an OpenAI model id; accepts every parameter and emits no reasoning.
 */
export type ModelKind = 'reasoning' | 'plain' | 'unknown';

/** Returns a model id without the prefix of a vendor. */
export const toModelName = (modelId: string): string =>
  modelId.slice(modelId.lastIndexOf('/') + 1).toLowerCase();

/** Returns the kind of a model id. A vendor prefix (`openai/gpt-5`) is ignored. */
export function toModelKind(modelId: string): ModelKind {
  const name = toModelName(modelId);
  if (/^(gpt-[34]|chatgpt|gpt-\d+(\.\d+)?-chat)/.test(name)) return 'plain';
  return /^(o\d|gpt-([5-9]|\d\d)|codex-|computer-use)/.test(name) ? 'reasoning' : 'unknown';
}
