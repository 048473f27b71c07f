import type {
  JSONObject,
  JSONValue,
  LanguageModelV2ToolCallPart,
  LanguageModelV2ToolResultOutput,
  LanguageModelV2ToolResultPart,
} from '@ai-sdk/provider';
import type * as z from 'zod/v4';
import { asJson, idOf, objectOf, type PlainObject, stringOf } from '../../shared/json.js';
import { type HostedInputItem, type InputContent, withoutUndefined } from '../wire.js';

/** One hosted tool: its declaration, the conversion of its items to stream parts, and the replay of its calls. */
export interface HostedTool {
  /** Declarations, by the id under which a host declares the tool. */
  readonly declarations: Readonly<Record<string, HostedToolDeclaration>>;
  /** Conversions to stream parts, by the type of the output item. */
  readonly items: Readonly<Record<string, HostedItemMapping>>;
  /** Sends back calls that the host executed. Absent if only the server executes the tool. */
  readonly replay?: HostedToolReplay;
  /** Identifies server-executed calls in a history. Absent if their ids look like those of functions. */
  readonly history?: {
    /** Tool names, of this package and of the official provider. A name that ends with `.` is a prefix. */
    readonly toolNames: readonly string[];
    /** Prefixes of item ids, without the underscore. */
    readonly idPrefixes?: readonly string[];
  };
}

export interface HostedToolDeclaration {
  /** Type of the tool in the request. A declaration without a type concerns only the host and is not sent. */
  readonly type?: string;
  /** Converts the arguments to the field names of the API. */
  readonly toSettings?: (args: PlainObject) => PlainObject;
  /** True if the host names the tool, as it names a function. */
  readonly isNamedByHost?: boolean;
  /** Fields that identify the tool in `tool_choice`, in addition to its type. Absent if the tool cannot be forced. */
  readonly choiceFields?: readonly string[];
  /** Value of `include` that the items of the tool need. */
  readonly include?: string;
}

/**
 * Converts one type of output item to a tool call and, if the server executed it, a result. The parts have the shapes
 * of the official OpenAI provider: of the version for `ai@5`, or of a later one if that version lacks the tool.
 */
export interface HostedItemMapping {
  /** Name of the calls. A fixed name is replaced by the one under which the host declared the tool. */
  readonly toolName: string | ((item: PlainObject) => string);
  /**
   * Returns the id of the call.
   * @default the id of the item
   */
  readonly callId?: (item: PlainObject) => string | undefined;
  /**
   * Returns the arguments.
   * @default no arguments
   */
  readonly input?: (item: PlainObject) => JSONValue;
  /** Returns the result of a call that the server executed. Undefined if another item contains it. */
  readonly result: (item: PlainObject) => NonNullable<JSONValue> | undefined;
  /**
   * Returns true if the call failed.
   * @default true for the status `failed`
   */
  readonly isError?: (item: PlainObject) => boolean;
  /** Emits the call, which then has no arguments, when the item starts instead of when it ends. */
  readonly emitsCallAtStart?: boolean;
  /**
   * Emits tool input parts before the call.
   * @default false, as in the official provider
   */
  readonly hasInputParts?: boolean;
  /** Streams the input of the call. Absent for items whose input arrives only with the item. */
  readonly inputStream?: HostedInputStream;
  /**
   * Returns true if the host executes the call, provided that it declared the tool.
   * @default always false
   */
  readonly isForHost?: (item: PlainObject) => boolean;
  /** Returns the id of the earlier call that the item is the result of. Absent for items that are calls. */
  readonly resultOf?: (item: PlainObject) => string | undefined;
}

/** Converts streamed text of an item to JSON text of the arguments. */
interface HostedInputStream {
  /** Type of the events that contain a `delta` of the text. */
  readonly deltaEvent: string;
  /** Returns the arguments up to the text. `item` is the announced item. */
  readonly toStart: (item: PlainObject) => string;
  readonly toDelta: (text: string) => string;
  /** The arguments after the text. */
  readonly end: string;
}

export interface HostedToolReplay {
  /** Converts a call to an input item. Returns undefined if the input does not fit the tool. */
  readonly toCall: (part: LanguageModelV2ToolCallPart, context: ReplayContext) => HostedInputItem | undefined;
  /** Converts the output of a call to an input item. Returns undefined if the tool cannot express it. */
  readonly toOutput: (
    part: LanguageModelV2ToolResultPart,
    toContent: ToContent,
  ) => HostedInputItem | undefined;
  /**
   * Sends call and output only in the request that directly follows the output.
   * @default false
   */
  readonly isSentOnce?: boolean;
}

export interface ReplayContext {
  /** Original id of the item, for items that the API accepts only with an id. */
  readonly itemId: string | undefined;
  /** Returns the `id` field of items that do not require one. It is empty if the settings omit ids. */
  readonly takeId: () => { id?: string };
  /** Name of the tool in the request. */
  readonly wireName: string;
}

/** Converts any tool result to the text or content of a `function_call_output`. */
export type ToContent = (part: LanguageModelV2ToolResultPart) => string | InputContent[];

/** Returns a tool result as text, and whether it is an error or a denial. */
export function toPlainOutput(
  part: LanguageModelV2ToolResultPart,
  toContent: ToContent,
): { text: string; isError: boolean } {
  const content = toContent(part);
  const text =
    typeof content === 'string'
      ? content
      : content.flatMap(item => (item.type === 'input_text' ? [item.text] : [])).join('\n');
  // `ai` 6 and 7 add the type `execution-denied`.
  const type: string = part.output.type;
  return { text, isError: type.startsWith('error-') || type === 'execution-denied' };
}

/** Returns the JSON object of a tool result, and undefined for results of other types. */
export const toOutputObject = ({ output }: LanguageModelV2ToolResultPart): PlainObject | undefined =>
  output.type === 'json' ? objectOf(output.value) : undefined;

/** Returns the given fields of an object under other names. Returns undefined if the value is not an object. */
export function renameFields(
  value: unknown,
  names: Readonly<Record<string, string>>,
): PlainObject | undefined {
  const fields = objectOf(value);
  if (fields === undefined) return undefined;
  return withoutUndefined(Object.fromEntries(Object.entries(names).map(([from, to]) => [to, fields[from]])));
}

/** Returns the fields that are neither undefined nor null. */
export const presentFields = (fields: PlainObject): JSONObject =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, asJson(value)]),
  );

/** Returns the `call_id` of an item. */
export const toCallId = ({ call_id: callId }: PlainObject): string | undefined => idOf(callId);

/** Returns the status as the result of a server-executed call whose item has no other result. */
export const toStatus = ({ status }: PlainObject): JSONObject => ({
  status: stringOf(status) || 'completed',
});

/**
 * A provider-defined tool of the AI SDK. It is described structurally because each release of `ai` has its own `Tool`
 * type. All of them accept Zod schemas.
 */
export interface ProviderDefinedTool<INPUT, OUTPUT> extends ToolExecution<INPUT, OUTPUT> {
  type: 'provider-defined';
  id: `${string}.${string}`;
  name: string;
  args: Record<string, unknown>;
  inputSchema: z.ZodType<INPUT>;
  outputSchema?: z.ZodType<OUTPUT>;
}

/** Execution of a tool by the host, as in any tool of the AI SDK. */
export interface ToolExecution<INPUT, OUTPUT> {
  /** Executes a call. Without it the turn ends at the call. */
  execute?: (input: INPUT, options: ToolExecutionOptions) => PromiseLike<OUTPUT> | OUTPUT;
  /**
   * Converts the output for the model.
   * @default strings become text, other values JSON
   */
  toModelOutput?: (output: OUTPUT) => LanguageModelV2ToolResultOutput;
}

export interface ToolExecutionOptions {
  toolCallId: string;
  /** Messages that the model received before the call. */
  messages: unknown[];
  /** Aborts when the output is no longer needed. */
  abortSignal?: AbortSignal;
}

/**
 * Creates the factory of a provider-defined tool. The schemas are built when the factory is first called, so that
 * importing the package stays fast.
 */
/* @__NO_SIDE_EFFECTS__ */
export function defineToolFactory<INPUT, OUTPUT, ARGUMENTS extends object>({
  id,
  name,
  toSchemas,
}: {
  id: `openai.${string}`;
  name: string;
  toSchemas: () => { inputSchema: z.ZodType<INPUT>; outputSchema?: z.ZodType<OUTPUT> };
}) {
  let schemas: ReturnType<typeof toSchemas> | undefined;
  return ({
    execute,
    toModelOutput,
    ...args
  }: ARGUMENTS & ToolExecution<INPUT, OUTPUT>): ProviderDefinedTool<INPUT, OUTPUT> => ({
    type: 'provider-defined',
    id,
    name,
    args,
    ...(schemas ??= toSchemas()),
    ...(execute && { execute }),
    ...(toModelOutput && { toModelOutput }),
  });
}
