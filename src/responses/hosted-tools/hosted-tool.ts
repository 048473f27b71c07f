import type * as z from 'zod/v4';
import type { ToolCallPart, ToolResultPart } from '../../core/prompt.js';
import {
  asJson,
  idOf,
  type JSONObject,
  type JSONValue,
  objectOf,
  objectsOf,
  type PlainObject,
  stringOf,
} from '../../core/shared/json.js';
import type { HostedCallNames } from '../../core/tool-calls/hosted-tools.js';
import type { HostedInputItem, InputContent } from '../wire.js';

/** One hosted tool: its declaration, the conversion of its items to stream parts, and the replay of its calls. */
export interface HostedTool {
  /** Declarations, by the id under which a host declares the tool. */
  readonly declarations: Readonly<Record<string, HostedToolDeclaration>>;
  /** Conversions to stream parts, by the type of the output item. */
  readonly items: Readonly<Record<string, HostedItemMapping>>;
  /** Sends back calls that the host executed. Absent if only the server executes the tool. */
  readonly replay?: HostedToolReplay;
  /** Sends back calls that the server executed. Absent if the API accepts such calls only as a reference. */
  readonly serverReplay?: ServerCallReplay;
  /**
   * Converts the result of a call that the server executed to content of a user message, for calls that the API accepts
   * only as a reference to a stored item. Returns undefined if the result has no such content.
   */
  readonly toUserContent?: (call: ServerCall) => readonly InputContent[] | undefined;
  /** Identifies server-executed calls in a history. Absent if only the host executes the tool. */
  readonly history?: HostedCallNames;
}

export interface HostedToolDeclaration {
  /** Type of the tool in the request. A declaration without a type concerns only the host and is not sent. */
  readonly type?: string;
  /** Arguments whose field names belong to the host, such as headers and schemas. They are sent unchanged. */
  readonly unchangedArguments?: readonly string[];
  /**
   * Adapts the arguments, whose names are already those of the API.
   * @default the arguments in snake case
   */
  readonly adaptSettings?: (settings: PlainObject) => PlainObject;
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
  /**
   * Converts the item only if the host declared the tool. Otherwise no part can express the item, and it is carried as an
   * opaque item.
   * @default false
   */
  readonly onlyIfDeclared?: boolean;
  /** Name of the calls. A fixed name is replaced by the one under which the host declared the tool. */
  readonly toolName: string | ((item: PlainObject) => string);
  /**
   * Returns the id of the call.
   * @default the id of the item
   */
  readonly callId?: (item: PlainObject) => string | undefined;
  /**
   * Returns the arguments. `declaredId` is the id under which the host declared the tool.
   * @default no arguments
   */
  readonly input?: (item: PlainObject, declaredId: string | undefined) => JSONValue;
  /** Returns the result of a call that the server executed. Undefined if another item contains it. */
  readonly result: (item: PlainObject) => NonNullable<JSONValue> | undefined;
  /**
   * Returns the metadata of the call or the result, of the namespace `openai`.
   * @default none, because the id of most calls is that of their item
   */
  readonly metadata?: (item: PlainObject) => JSONObject;
  /** Returns the pages and files that the call has found. */
  readonly sources?: (item: PlainObject) => readonly FoundSource[];
  /**
   * Emits the result of an item with the status `incomplete`, too.
   * @default false, because the response ended in such an item
   */
  readonly hasIncompleteResult?: boolean;
  /**
   * True for calls whose result is another item, which names the call in `resultOf`.
   * @default false
   */
  readonly resultFollows?: boolean;
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
  /**
   * Returns the id of the earlier call that the item is the result of. Undefined for the oldest call without a result.
   * Absent for items that are calls.
   */
  readonly resultOf?: (item: PlainObject) => string | undefined;
  /** Previews of the result, which the server sends before the item is finished. */
  readonly preview?: HostedPreview;
  /** Asks the host for approval of a call, if the host does not decide with a declared tool. */
  readonly approval?: HostedApprovalRequest;
}

/** A request for approval of a call of a hosted MCP server. */
export interface HostedApprovalRequest {
  /** Id of the declared tool whose calls need approvals. */
  readonly declaredBy: string;
  /** Returns the call, with its arguments as JSON text. */
  readonly toCall: (item: PlainObject) => {
    readonly toolName: string;
    readonly input: string;
    readonly server: string;
  };
}

/** A page or a file that a call has found. */
export type FoundSource =
  { readonly url: string; readonly title?: string } | { readonly fileId: string; readonly filename: string };

export interface HostedInputStream {
  /** Types of the events that contain the arguments. */
  readonly events: readonly string[];
  /**
   * Begins the arguments of an announced item. The returned function converts an event to the text that follows, and
   * returns an empty text for an event that adds nothing.
   */
  readonly begin: (item: PlainObject) => (event: PlainObject) => string;
  /** Text after the last event, for arguments that do not begin as the finished ones. */
  readonly end: string;
  /**
   * The event that contains the complete arguments, and the fields of the item that it completes.
   * @default only the finished item shows that its arguments are complete
   */
  readonly completion?: { readonly event: string; readonly fields: (event: PlainObject) => PlainObject };
  /**
   * `text` if the arguments are a text. Hosts that accept a text receive it unchanged, others as a JSON string.
   * @default 'json'
   */
  readonly encoding?: 'json' | 'text';
}

export const escapeJson = (text: string): string => JSON.stringify(text).slice(1, -1);

interface HostedPreview {
  readonly event: string;
  readonly result: (event: PlainObject) => NonNullable<JSONValue> | undefined;
  /** Returns true if the arguments of the declared tool request previews. */
  readonly isRequested: (args: PlainObject) => boolean;
}

export interface HostedToolReplay {
  /** Converts a call to an input item. Returns undefined if the input does not fit the tool. */
  readonly toCall: (part: ToolCallPart, context: ReplayContext) => SentItem | undefined;
  /** Converts the output of a call to an input item. Returns undefined if the tool cannot express it. */
  readonly toOutput: (part: ToolResultPart, toContent: ToContent) => SentItem | undefined;
  /**
   * Describes the only output that the API accepts for a call.
   * @default none: a call whose output the tool cannot express is sent as that of a function
   */
  readonly requiredOutput?: string;
  /**
   * Returns true if the server acts on an output each time that it receives it. Call and output are then left out of all
   * requests but the one that directly follows the output.
   * @default always false
   */
  readonly isSentOnce?: (output: HostedInputItem) => boolean;
}

/**
 * Rebuilds the items of a call that the server executed, from the parts of a history. Returns undefined if the parts lack a
 * required field; the call is then not sent.
 */
export type ServerCallReplay = (call: ServerCall) => readonly SentItem[] | undefined;

/** An item with the fields of its tool, under the names of the API. */
export type SentItem = HostedInputItem & PlainObject;

/** A call that the server executed, as a history contains it. */
export interface ServerCall {
  /** Id of the call, which is that of its item for most tools. */
  readonly id: string;
  readonly toolName: string;
  /** Arguments. Undefined if the history contains only the result. */
  readonly input: unknown;
  /** The result. Undefined if the history contains none. */
  readonly result: unknown;
  readonly isError: boolean;
  /** Options of the call part, of the namespace `openai`. Those of the result part if the history has no call. */
  readonly options: PlainObject;
  /** Options of the result part, of the namespace `openai`. @default none: `ai@5` does not keep them */
  readonly resultOptions?: PlainObject;
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
export type ToContent = (part: ToolResultPart) => string | InputContent[];

/** Returns a tool result as text, and whether it is an error or a denial. */
export function toPlainOutput(
  part: ToolResultPart,
  toContent: ToContent,
): { text: string; isError: boolean } {
  const content = toContent(part);
  const text =
    typeof content === 'string'
      ? content
      : content.flatMap(item => (item.type === 'input_text' ? [item.text] : [])).join('\n');
  const { type } = part.output;
  return { text, isError: type.startsWith('error-') || type === 'execution-denied' };
}

export const toOutputObject = (part: ToolResultPart): PlainObject | undefined =>
  part.output.type === 'json' ? objectOf(part.output.value) : undefined;

export const presentFields = (fields: PlainObject): JSONObject =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, asJson(value)]),
  );

export function toItemId(item: PlainObject): JSONObject {
  const itemId = idOf(item.id);
  return itemId === undefined ? {} : { itemId };
}

export const toCallId = (item: PlainObject): string | undefined => idOf(item.call_id);

/** Returns the status as the result of a server-executed call whose item has no other result. */
export const toStatus = (item: PlainObject): JSONObject => ({
  status: stringOf(item.status) || 'completed',
});

/** Returns the items of a call that are known, and undefined without any. */
export function presentItems(...items: readonly (SentItem | undefined)[]): readonly SentItem[] | undefined {
  const present = items.filter(item => item !== undefined);
  return present.length === 0 ? undefined : present;
}

/**
 * A tool that OpenAI defines, independent of the version of the model interface. `core/versions/tools.ts` creates the factory
 * whose tools hosts of a version accept.
 */
export interface HostedToolKind<INPUT, OUTPUT, ARGUMENTS extends object, EXECUTED extends boolean> {
  readonly id: `openai.${string}`;
  /** The name that the tool has to have in `ai@5`. */
  readonly name: string;
  /** True if the API executes the calls, false if the host does. */
  readonly isProviderExecuted: EXECUTED;
  /** True if a result may follow in a later response. @default false */
  readonly supportsDeferredResults?: boolean;
  /** Returns the arguments without secrets, for the telemetry of the host. @default the arguments contain no secrets */
  readonly redact?: (args: Readonly<Record<string, unknown>>) => Record<string, unknown>;
  /** Options that let a function be called by this tool, for `experimental_toolCallers` of `ai@7`. @default none */
  readonly caller?: (providerOptions?: Readonly<Record<string, Record<string, unknown>>>) => object;
  /** Creates the schemas. Called when they are first needed, so that importing the package stays fast. */
  readonly toSchemas: () => { inputSchema: z.ZodType<INPUT>; outputSchema?: z.ZodType<OUTPUT> };
  /** Only a type. */
  readonly toolArguments?: ARGUMENTS;
}

/** Caller of a tool: the model itself, or a program that it wrote (`hostedTools.programmaticToolCalling`). */
export type ToolCaller = 'direct' | 'programmatic';

/** Defines a tool. The types of its input, its output and its arguments are those of its factories. */
/* @__NO_SIDE_EFFECTS__ */
export const defineHostedTool =
  <INPUT, OUTPUT, ARGUMENTS extends object = object>() =>
  <EXECUTED extends boolean>(
    kind: HostedToolKind<INPUT, OUTPUT, ARGUMENTS, EXECUTED>,
  ): HostedToolKind<INPUT, OUTPUT, ARGUMENTS, EXECUTED> =>
    kind;

export const REDACTED = '[redacted]';

/** Returns a view of the arguments without the secrets of the domains that a container may reach. */
/* @__NO_SIDE_EFFECTS__ */
export const redactDomainSecrets =
  (field: string) =>
  (args: Readonly<Record<string, unknown>>): Record<string, unknown> => {
    const container = objectOf(args[field]);
    const policy = objectOf(container?.networkPolicy);
    if (!Array.isArray(policy?.domainSecrets)) return { ...args };
    const domainSecrets = objectsOf(policy.domainSecrets).map(secret => ({ ...secret, value: REDACTED }));
    return { ...args, [field]: { ...container, networkPolicy: { ...policy, domainSecrets } } };
  };
