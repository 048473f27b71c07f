import type { JSONValue } from '../shared/json.js';
import { zodSchema } from '@ai-sdk/provider-utils';
import type * as z from 'zod/v4';
import type { HostVersion } from './specification.js';

/*
 * Tools that a provider defines, in the shapes of `ai` 5, 6 and 7. They are described structurally, because each release
 * of `ai` has its own `Tool` type.
 */

/** A tool, independent of the version of the model interface. */
export interface ToolKind<INPUT, OUTPUT, ARGUMENTS extends object, EXECUTED extends boolean> {
  readonly id: `${string}.${string}`;
  readonly name: string;
  readonly isProviderExecuted: EXECUTED;
  readonly supportsDeferredResults?: boolean;
  readonly redact?: (args: Readonly<Record<string, unknown>>) => Record<string, unknown>;
  readonly caller?: (providerOptions?: Readonly<Record<string, Record<string, unknown>>>) => object;
  readonly toSchemas: () => { inputSchema: z.ZodType<INPUT>; outputSchema?: z.ZodType<OUTPUT> };
  readonly toolArguments?: ARGUMENTS;
}

/** Facts of a call that a tool receives. */
export interface ToolExecutionOptions {
  toolCallId: string;
  /** Messages that the model received before the call. */
  messages: unknown[];
  /** Aborts when the output is no longer needed. */
  abortSignal?: AbortSignal;
}

/** Members of a tool that the host calls, as in any tool of the AI SDK. */
export interface ToolExecution<INPUT, OUTPUT> {
  /** Executes a call. Without it the turn ends at the call. */
  execute?: (input: INPUT, options: ToolExecutionOptions) => PromiseLike<OUTPUT> | OUTPUT;
  /** Called when the input of a call begins. */
  onInputStart?: (options: ToolExecutionOptions) => void | PromiseLike<void>;
  /** Called for each piece of the input. */
  onInputDelta?: (options: ToolExecutionOptions & { inputTextDelta: string }) => void | PromiseLike<void>;
  /** Called with the complete input. */
  onInputAvailable?: (options: ToolExecutionOptions & { input: INPUT }) => void | PromiseLike<void>;
}

/** Members of a tool for `ai@5`. */
export interface ToolExecutionV2<INPUT, OUTPUT> extends ToolExecution<INPUT, OUTPUT> {
  /**
   * Converts the output for the model.
   * @default strings become text, other values JSON
   */
  toModelOutput?: (
    output: OUTPUT,
  ) => PlainOutput | ContentOutput<{ type: 'media'; data: string; mediaType: string }>;
}

/** Members of a tool for `ai` 6 and 7. */
export interface ToolExecutionV3<INPUT, OUTPUT> extends ToolExecution<INPUT, OUTPUT> {
  /** Asks the user before a call is executed. @default false */
  needsApproval?:
    | boolean
    | ((
        input: INPUT,
        options: Pick<ToolExecutionOptions, 'toolCallId' | 'messages'>,
      ) => boolean | PromiseLike<boolean>);
  /**
   * Converts the output for the model.
   * @default strings become text, other values JSON
   */
  toModelOutput?: (result: {
    toolCallId: string;
    input: INPUT;
    output: OUTPUT;
  }) => LaterOutput | PromiseLike<LaterOutput>;
}

type LaterOutput =
  | PlainOutput
  | { type: 'execution-denied'; reason?: string }
  | ContentOutput<{ type: 'image-data' | 'file-data'; data: string; mediaType: string }>;

type PlainOutput =
  { type: 'text' | 'error-text'; value: string } | { type: 'json' | 'error-json'; value: JSONValue };

interface ContentOutput<Media> {
  type: 'content';
  value: ({ type: 'text'; text: string } | Media)[];
}

interface Schemas<INPUT, OUTPUT> {
  /** The schema of the input. A function that returns it in `ai` 6 and 7, as in the official provider. */
  inputSchema: z.ZodType<INPUT>;
  /** The schema of the output, in the same form. */
  outputSchema?: z.ZodType<OUTPUT>;
}

/** A tool that the provider defines, for `ai@5`. It has to be declared under its name. */
export interface ProviderToolV2<INPUT, OUTPUT>
  extends Schemas<INPUT, OUTPUT>, ToolExecutionV2<INPUT, OUTPUT> {
  type: 'provider-defined';
  id: `${string}.${string}`;
  name: string;
  args: Record<string, unknown>;
}

/** A tool that the provider defines, for `ai@6`. */
export interface ProviderToolV3<INPUT, OUTPUT>
  extends Schemas<INPUT, OUTPUT>, ToolExecutionV3<INPUT, OUTPUT> {
  type: 'provider';
  id: `${string}.${string}`;
  args: Record<string, unknown>;
}

/** A tool that the provider defines, for `ai@7`. */
export type ProviderToolV4<INPUT, OUTPUT, EXECUTED extends boolean> = ProviderToolV3<INPUT, OUTPUT> & {
  isProviderExecuted: EXECUTED;
};

interface Executions<INPUT, OUTPUT> {
  v2: ToolExecutionV2<INPUT, OUTPUT>;
  v3: ToolExecutionV3<INPUT, OUTPUT>;
  v4: ToolExecutionV3<INPUT, OUTPUT>;
}

interface ProviderTools<INPUT, OUTPUT, EXECUTED extends boolean> {
  v2: ProviderToolV2<INPUT, OUTPUT>;
  v3: ProviderToolV3<INPUT, OUTPUT>;
  v4: ProviderToolV4<INPUT, OUTPUT, EXECUTED>;
}

type Factory<Options, Tool> = object extends Options
  ? (options?: Options) => Tool
  : (options: Options) => Tool;

/** The factory of a tool for hosts of a version. If the type of the output is open, `execute` determines it. */
export type ToolFactory<Kind, Version extends HostVersion> =
  Kind extends ToolKind<infer INPUT, infer OUTPUT, infer ARGUMENTS, infer EXECUTED>
    ? unknown extends OUTPUT
      ? <RESULT>(
          options: ARGUMENTS & Executions<INPUT, RESULT>[Version],
        ) => ProviderTools<INPUT, RESULT, EXECUTED>[Version]
      : Factory<
          ARGUMENTS & Executions<INPUT, OUTPUT>[Version],
          ProviderTools<INPUT, OUTPUT, EXECUTED>[Version]
        >
    : never;

/** The factories of several tools. */
export type ToolFactories<Kinds, Version extends HostVersion> = {
  [Name in keyof Kinds]: ToolFactory<Kinds[Name], Version>;
};

type AnyKind = ToolKind<unknown, unknown, object, boolean>;

/** The shapes of a tool, by the version of its host. */
const SHAPES: Readonly<
  Record<
    HostVersion,
    {
      /** Returns the members that identify the tool. */
      readonly identity: (kind: AnyKind) => object;
      /** Wraps a schema. The first releases of `ai` 5 accept no functions. */
      readonly toSchema: (create: () => z.ZodType) => unknown;
      /** Adds what hosts read besides the members. */
      readonly complete?: (tool: object, kind: AnyKind) => object;
    }
  >
> = {
  v2: {
    identity: kind => ({ type: 'provider-defined', id: kind.id, name: kind.name }),
    toSchema: create => create(),
  },
  v3: {
    identity: ({ id, supportsDeferredResults }) => ({
      type: 'provider',
      id,
      ...(supportsDeferredResults && { supportsDeferredResults }),
    }),
    toSchema: toLazySchema,
  },
  v4: {
    identity: ({ id, isProviderExecuted, supportsDeferredResults }) => ({
      type: 'provider',
      isProviderExecuted,
      id,
      ...(supportsDeferredResults && { supportsDeferredResults }),
    }),
    toSchema: toLazySchema,
    complete: (tool, kind) =>
      kind.caller === undefined
        ? tool
        : Object.defineProperty(tool, 'experimental_toolCaller', {
            value: { type: 'provider', prepareProviderOptions: kind.caller },
          }),
  },
};

/** Creates the schema when a host first asks for it, as `lazySchema` does in all but the first releases of `ai@5`. */
function toLazySchema(create: () => z.ZodType): unknown {
  let schema: unknown;
  return () => (schema ??= zodSchema(create()));
}

/** Members that belong to the tool. All others are its arguments. */
const MEMBERS = [
  'execute',
  'toModelOutput',
  'needsApproval',
  'onInputStart',
  'onInputDelta',
  'onInputAvailable',
];

/** `ai@7` records the arguments of tools in the form that the function under this key returns. */
const TELEMETRY_VIEW = Symbol.for('vercel.ai.telemetry.redact');

/** Creates the factories of tools for hosts of a version. */
/* @__NO_SIDE_EFFECTS__ */
export function createToolFactories<
  Kinds extends Readonly<Record<string, object>>,
  Version extends HostVersion,
>(kinds: Kinds, version: Version): { [Name in keyof Kinds]: ToolFactory<Kinds[Name], Version> } {
  const factories: unknown = Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => [name, createFactory(kind as AnyKind, version)]),
  );
  return factories as ToolFactories<Kinds, Version>;
}

function createFactory(kind: AnyKind, version: HostVersion) {
  const { identity, toSchema, complete = (tool: object) => tool } = SHAPES[version];
  let schemas: ReturnType<AnyKind['toSchemas']> | undefined;
  const read = () => (schemas ??= kind.toSchemas());
  return (options: Readonly<Record<string, unknown>> = {}): object => {
    const entries = Object.entries(options);
    const args: Record<string, unknown> = Object.fromEntries(
      entries.filter(([name]) => !MEMBERS.includes(name)),
    );
    if (kind.redact !== undefined) Object.defineProperty(args, TELEMETRY_VIEW, { value: kind.redact });
    const { outputSchema } = read();
    return complete(
      {
        ...identity(kind),
        args,
        inputSchema: toSchema(() => read().inputSchema),
        ...(outputSchema && { outputSchema: toSchema(() => outputSchema) }),
        ...Object.fromEntries(
          entries.filter(([name, value]) => MEMBERS.includes(name) && value !== undefined),
        ),
      },
      kind,
    );
  };
}
