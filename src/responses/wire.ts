import { isWholeJson } from '../shared/json.js';

/** Body of `POST …/responses`, with the fields that this package writes. */
export interface ResponsesRequestBody {
  model: string;
  input: InputItem[];
  stream?: true;
  store: boolean;
  temperature?: number;
  top_p?: number;
  max_output_tokens?: number;
  text?: TextSettings;
  reasoning?: ReasoningSettings;
  tools?: WireTool[];
  tool_choice?: WireToolChoice;
  include?: string[];
  instructions?: string;
  conversation?: string;
  previous_response_id?: string;
  max_tool_calls?: number;
  parallel_tool_calls?: boolean;
  metadata?: unknown;
  user?: string;
  safety_identifier?: string;
  service_tier?: string;
  prompt_cache_key?: string;
  prompt_cache_options?: { mode?: string; ttl?: string };
  prompt_cache_retention?: string;
  top_logprobs?: number;
  truncation?: string;
}

export interface TextSettings {
  format?: TextFormat;
  verbosity?: string;
}

export type TextFormat =
  | { type: 'json_object' }
  | { type: 'json_schema'; name: string; description?: string; schema: unknown; strict: boolean };

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
  | ConfigurationUpdate;

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
}

export interface ReasoningItem {
  type: 'reasoning';
  id?: string;
  encrypted_content?: string;
  status?: 'completed';
  summary: Array<{ type: 'summary_text'; text: string }>;
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
}

export interface FunctionCallOutput {
  type: 'function_call_output';
  id?: string;
  call_id: string;
  output: string | InputContent[];
}

/** Call or output of a hosted tool. The fields depend on the tool; see its file in `hosted-tools`. */
export interface HostedInputItem {
  type: string;
  id?: string;
}

/** Changes the reasoning effort for the rest of the conversation and keeps the cached prefix valid. */
export interface ConfigurationUpdate {
  type: 'configuration_update';
  reasoning: { effort: string };
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
}

/** A tool that is not a function. Its settings depend on the type. */
export interface WireHostedTool {
  type: string;
  [setting: string]: unknown;
}

export type WireTool = FunctionTool | WireHostedTool;

export type WireToolChoice =
  'auto' | 'none' | 'required' | { type: 'function'; name: string } | { type: string };

export const isFunctionCall = (item: InputItem): item is FunctionCall => item.type === 'function_call';

export const isFunctionCallOutput = (item: InputItem): item is FunctionCallOutput =>
  item.type === 'function_call_output';

export const isReasoning = (item: InputItem): item is ReasoningItem => item.type === 'reasoning';

export const isConfigurationUpdate = (item: InputItem | undefined): item is ConfigurationUpdate =>
  item?.type === 'configuration_update';

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
