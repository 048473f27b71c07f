import { isWholeJson, type PlainObject } from '../core/shared/json.js';

/** Body of `POST …/responses`. The fields that only copy an option are those of the rows in `request/options.ts`. */
export interface ResponsesRequestBody {
  model: string;
  input: InputItem[];
  stream?: true;
  store: boolean;
  background?: true;
  temperature?: number;
  top_p?: number;
  max_output_tokens?: number;
  text?: TextSettings;
  reasoning?: ReasoningSettings;
  tools?: WireTool[];
  tool_choice?: WireToolChoice;
  include?: string[];
  instructions?: string;
  previous_response_id?: string;
  service_tier?: string;
  prompt_cache_options?: PlainObject;
  prompt_cache_retention?: string;
  top_logprobs?: number;
}

export interface TextSettings {
  format?: TextFormat;
  verbosity?: string;
}

/** `text`, `json_object`, or `json_schema` with a name and a schema. */
export interface TextFormat {
  type: string;
  name?: string;
  description?: string;
  schema?: unknown;
  strict?: boolean;
}

export interface ReasoningSettings {
  effort?: string;
  summary?: string;
  mode?: string;
  context?: string;
}

export type InputItem =
  | InstructionMessage
  | UserMessage
  | AssistantMessage
  | ReasoningItem
  | FunctionCall
  | FunctionCallOutput
  | HostedInputItem
  | ConfigurationUpdate
  | AdditionalTools;

export interface InstructionMessage {
  type?: 'message';
  role: 'system' | 'developer';
  content: string | InputText[];
}

export interface UserMessage {
  type?: 'message';
  role: 'user';
  content: InputContent[];
}

export interface AssistantMessage {
  type?: 'message';
  role: 'assistant';
  content: Array<{ type: 'output_text'; text: string; annotations?: unknown[] }>;
  id?: string;
  status?: 'completed';
  phase?: string;
  /** The agent that wrote the message, if it is not the main one. */
  agent?: PlainObject;
}

export interface ReasoningItem {
  type: 'reasoning';
  id?: string;
  encrypted_content?: string;
  status?: 'completed';
  summary: Array<{ type: 'summary_text'; text: string }>;
  /** The complete reasoning, from servers that do not encrypt it. */
  content?: Array<{ type: 'reasoning_text'; text: string }>;
  agent?: PlainObject;
}

export interface FunctionCall {
  type: 'function_call';
  call_id: string;
  name: string;
  /** JSON of an object. */
  arguments: string;
  id?: string;
  status?: 'completed';
  async?: boolean;
  namespace?: string;
  caller?: PlainObject;
  agent?: PlainObject;
}

export interface FunctionCallOutput {
  type: 'function_call_output';
  id?: string;
  call_id: string;
  output: string | InputContent[];
  /** The caller of the call. The API rejects the output of a program's call without it. */
  caller?: PlainObject;
}

/**
 * Call or output of a hosted tool, whose fields depend on the tool (see its file in `hosted-tools`); an item that is
 * sent back as it was received; or a reference to a stored item.
 */
export interface HostedInputItem {
  type: string;
  id?: string;
}

/** Changes settings for the rest of the conversation and keeps the cached prefix valid. */
export interface ConfigurationUpdate {
  type: 'configuration_update';
  reasoning?: { effort: string };
  text?: { format: TextFormat };
}

export interface AdditionalTools {
  type: 'additional_tools';
  role: 'developer';
  tools: PlainObject[];
}

interface CacheBreakpoint {
  prompt_cache_breakpoint?: unknown;
}

export type InputText = { type: 'input_text'; text: string } & CacheBreakpoint;

export type InputImage = {
  type: 'input_image';
  image_url?: string;
  file_id?: string;
  detail?: string;
} & CacheBreakpoint;

export type InputFile = {
  type: 'input_file';
  file_url?: string;
  file_id?: string;
  file_data?: string;
  filename?: string;
} & CacheBreakpoint;

export type InputContent = InputText | InputImage | InputFile;

export interface FunctionTool {
  type: 'function';
  name: string;
  description?: string;
  parameters: object;
  strict: boolean;
  async?: boolean;
  output_schema?: object;
}

export interface NamespaceTool {
  type: 'namespace';
  name: string;
  description: string;
  tools: FunctionTool[];
}

/** A tool that is not a function. Its settings depend on the type. */
export interface WireHostedTool {
  type: string;
  [setting: string]: unknown;
}

export type WireTool = FunctionTool | NamespaceTool | WireHostedTool;

export type WireToolChoice =
  | 'auto'
  | 'none'
  | 'required'
  | { type: 'function'; name: string }
  | { type: 'allowed_tools'; mode: string; tools: PlainObject[] }
  | { type: string };

export const isFunctionCall = (item: InputItem): item is FunctionCall => item.type === 'function_call';

export const isFunctionCallOutput = (item: InputItem): item is FunctionCallOutput =>
  item.type === 'function_call_output';

/** Returns true for messages. Other items may have a role, too. */
export const isMessage = (item: InputItem): item is InstructionMessage | UserMessage | AssistantMessage =>
  'role' in item && (item.type === undefined || item.type === 'message');

export const isReasoning = (item: InputItem): item is ReasoningItem => item.type === 'reasoning';

export const isConfigurationUpdate = (item: InputItem | undefined): item is ConfigurationUpdate =>
  item?.type === 'configuration_update';

/** The levels of reasoning effort, in ascending order. */
export const EFFORTS: readonly string[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/**
 * Returns the accepted effort that is nearest to another one: the next lower level, else the next higher. `none` replaces no
 * other effort, because it turns reasoning off. Returns undefined for a value that is no known level.
 */
export function nearestEffort(effort: string, accepted: readonly string[]): string | undefined {
  const index = EFFORTS.indexOf(effort);
  if (index < 0) return undefined;
  const levels = EFFORTS.filter(level => level !== 'none' && accepted.includes(level));
  return levels.findLast(level => EFFORTS.indexOf(level) < index) ?? levels[0];
}

/** Relations between the items of one request that the request does not contain. */
export interface ItemRelations {
  /** The items to which references refer, for a server that has not stored them. */
  readonly rebuilt: Map<InputItem, readonly InputItem[]>;
  /** The history before a compaction, or before a reference to one, for a server that cannot read it. */
  readonly replaced: Map<InputItem, readonly InputItem[]>;
  /** Compactions whose conversation also contains the items before them. */
  readonly windows: Set<InputItem>;
}

export const createItemRelations = (): ItemRelations => ({
  rebuilt: new Map(),
  replaced: new Map(),
  windows: new Set(),
});

/** Creates a reference to a stored item. `rebuilt` replaces it if the server no longer has the item. */
export function toItemReference(
  id: string,
  rebuilt: readonly InputItem[],
  relations: ItemRelations,
): HostedInputItem {
  const reference = { type: 'item_reference', id };
  if (rebuilt.length > 0) relations.rebuilt.set(reference, rebuilt);
  return reference;
}

/** Returns the items that replace a reference. Empty if they cannot be rebuilt. */
export const rebuiltItems = (reference: InputItem, relations: ItemRelations): readonly InputItem[] =>
  relations.rebuilt.get(reference) ?? [];

export const isCompaction = (item: InputItem, relations: ItemRelations): boolean =>
  item.type === 'compaction' ||
  (item.type === 'item_reference' &&
    rebuiltItems(item, relations).some(rebuilt => isCompaction(rebuilt, relations)));

/** Returns the arguments of a call as JSON text. Missing or blank arguments become `{}`. */
export function toArgumentsJson(input: unknown): string {
  if (input === undefined || input === null) return '{}';
  if (typeof input !== 'string') return JSON.stringify(input);
  if (input.trim() === '') return '{}';
  // Hosts keep invalid arguments as text. Some servers reject a history that contains such text unquoted.
  return input.trimStart().startsWith('{') && isWholeJson(input) ? input : JSON.stringify(input);
}

/** Returns a copy without the fields that are undefined. */
export function withoutUndefined<VALUE extends object>(value: VALUE): VALUE {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as VALUE;
}
