import type { HostedItem } from './request/hosted-items.js';

/** The body of `POST …/responses`, as far as this package writes it. Field names are the wire's own. */
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
  | CustomToolCallOutput
  | HostedItem
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

export interface CustomToolCallOutput {
  type: 'custom_tool_call_output';
  call_id: string;
  output: string | InputContent[];
}

/** Changes the reasoning effort from here on without touching the cached prefix. */
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

/** A tool the API runs itself. Its settings depend on the type. */
export interface HostedTool {
  type: string;
  [setting: string]: unknown;
}

export type WireTool = FunctionTool | HostedTool;

export type WireToolChoice =
  'auto' | 'none' | 'required' | { type: 'function'; name: string } | { type: string };
