import { InvalidArgumentError } from '@ai-sdk/provider';
import * as z from 'zod/v4';
import type { CoreCall } from '../../core/call.js';
import type { FunctionTool, PartFacts, ProviderOptions } from '../../core/prompt.js';
import type { Warning } from '../../core/part.js';
import { idOf, isPlainObject, objectOf, type PlainObject } from '../../core/shared/json.js';
import { nearestName } from '../../core/shared/names.js';
import { type SchemasByName, SchemaTable } from '../../core/shared/settings.js';
import { bodySchema, callOptions, toolOptions } from './options.js';
import { type SettingOptions, toSettingOptions } from './setting-options.js';

/** Unknown options are left out, with a warning. */
const LENIENT = { allowsNull: true, allowsOthers: true };

const officialOptions = new SchemaTable(callOptions, LENIENT);
const kelivoRows = { ...callOptions, body: bodySchema };
const kelivoOptions = new SchemaTable(kelivoRows, LENIENT);
const optionsOfTool = new SchemaTable(toolOptions, LENIENT);

/** The options of a table. An option that was `null` is absent. */
type Present<Rows extends SchemasByName> = {
  readonly [Name in keyof Rows]?: z.infer<ReturnType<Rows[Name]>>;
};

export type ResponsesCallOptions = Present<typeof kelivoRows> & {
  /** True if the call requests no summary with `reasoningSummary: null`. */
  readonly omitsSummary?: boolean;
};

/** The namespace of the official provider: `azure` for Azure OpenAI, else `openai`. */
export type OfficialNamespace = 'openai' | 'azure';

type CallOptions = Pick<CoreCall, 'providerOptions' | 'own'>;

/**
 * Reads the options of a call from the namespaces `openai` and `kelivo`, which takes precedence, and from the settings of the
 * provider. For Azure, the namespace `azure` replaces `openai` if the call has it, as in the official provider.
 *
 * @throws InvalidArgumentError for an invalid value, with the full name of the option.
 */
export function readProviderOptions(
  { providerOptions, own }: CallOptions,
  settings: SettingOptions & { official?: OfficialNamespace | undefined } = {},
): ResponsesCallOptions {
  const [name, options] = officialOptionsOf(providerOptions, settings.official ?? 'openai');
  const fromOfficial = readNamespace(officialOptions, options, name);
  const fromKelivo = readNamespace(kelivoOptions, own, 'kelivo');
  const summary = own.reasoningSummary ?? options?.reasoningSummary;
  return { omitsSummary: summary === null, ...toSettingOptions(settings), ...fromOfficial, ...fromKelivo };
}

/** Returns the official provider's namespace of the options, and its name. */
function officialOptionsOf(
  providerOptions: ProviderOptions | undefined,
  official: OfficialNamespace,
): [name: OfficialNamespace, options: Namespace | undefined] {
  if (official === 'azure' && providerOptions?.azure != null) return ['azure', providerOptions.azure];
  return ['openai', providerOptions?.openai];
}

function readNamespace<Rows extends SchemasByName>(
  table: SchemaTable<Rows>,
  value: unknown,
  path: string,
): Present<Rows> {
  if (value === undefined || value === null) return {};
  // Most calls have no options. Those of a class may be accessors of its prototype.
  if (Object.getPrototypeOf(value) === Object.prototype && Object.keys(value).length === 0) return {};
  const parsed = table.schema.safeParse(value);
  if (!parsed.success) throw toArgumentError(path, value, parsed.error);
  // The entries without null have the types of the result.
  const present = Object.entries(parsed.data).filter(([, option]) => option != null);
  return Object.fromEntries(present) as Present<Rows>;
}

/** Options of the namespace `kelivo` that other layers read. */
const OTHER_KELIVO_OPTIONS = [
  'turnId',
  'scope',
  'step',
  'context',
  'executors',
  'runBy',
  'hostStep',
  'toolApproval',
  'prepareRound',
  'stopWhen',
  'maxCost',
  'maxTokens',
  'steering',
];

type Warn = (warning: Warning) => void;

/** Warns about unknown options in the namespaces of a call, nested ones included, which are ignored. */
export function warnAboutUnknownOptions(
  { providerOptions, own }: CallOptions,
  warn: Warn,
  official: OfficialNamespace = 'openai',
): void {
  const [name, options] = officialOptionsOf(providerOptions, official);
  warnAboutUnknownNames(officialOptions, options, { path: name, warn });
  warnAboutUnknownNames(kelivoOptions, own, { path: 'kelivo', others: OTHER_KELIVO_OPTIONS, warn });
}

/** @param options `path` is the place of the names, and `others` are names that other layers read. */
function warnAboutUnknownNames(
  table: { readonly names: readonly string[]; schemaOf(name: string): z.core.$ZodType | undefined },
  value: unknown,
  { path, others = [], warn }: { path: string; others?: readonly string[]; warn: Warn },
): void {
  if (!isPlainObject(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    const schema = table.schemaOf(name);
    if (schema !== undefined) warnAboutUnknownKeys(schema, inner, `${path}.${name}`, warn);
    else if (inner != null && !table.names.includes(name) && !others.includes(name))
      warn(toUnknown(`${path}.${name}`, [...table.names, ...others]));
  }
}

function warnAboutUnknownKeys(schema: z.core.$ZodType, value: unknown, path: string, warn: Warn): void {
  if (value === undefined || value === null) return;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    warnAboutUnknownKeys(schema.unwrap(), value, path, warn);
  } else if (schema instanceof z.ZodArray && Array.isArray(value)) {
    for (const item of value) warnAboutUnknownKeys(schema.element, item, path, warn);
  } else if (schema instanceof z.ZodObject) {
    const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape;
    // An object with a catch-all is sent with all its fields.
    const others = schema.def.catchall === undefined || !isPlainObject(value) ? [] : Object.keys(value);
    const schemaOf = (name: string) => (Object.hasOwn(shape, name) ? shape[name] : undefined);
    warnAboutUnknownNames({ names: Object.keys(shape), schemaOf }, value, { path, others, warn });
  }
}

function toUnknown(path: string, known: readonly string[]): Warning {
  const nearest = nearestName(path.slice(path.lastIndexOf('.') + 1), known);
  const hint = nearest === undefined ? 'Remove it.' : `Did you mean \`${nearest}\`?`;
  const message = `The option \`providerOptions.${path}\` is unknown and was ignored. ${hint}`;
  return { type: 'other', message };
}

/** Keys that other layers write to the options of tools. */
const TOOL_MARKS = ['stub', 'tool', 'needsApproval', 'runBy'];

export type ReadToolOptions = Present<typeof toolOptions>;

/**
 * Reads the options of a function tool from the namespaces of a call. Warns about unknown options.
 *
 * @throws InvalidArgumentError for an invalid value, with the name of the tool and the option.
 */
export function readToolOptions(
  { name, providerOptions }: Pick<FunctionTool, 'name' | 'providerOptions'>,
  context: { official: OfficialNamespace; warn: Warn },
): ReadToolOptions {
  if (providerOptions === undefined) return {};
  const [namespace, options] = officialOptionsOf(providerOptions, context.official);
  const read = (key: string, value: Namespace | undefined): ReadToolOptions => {
    warnAboutUnknownNames(optionsOfTool, value, { path: key, others: TOOL_MARKS, warn: context.warn });
    return readNamespace(optionsOfTool, value, `${key} of the tool "${name}"`);
  };
  return { ...read(namespace, options), ...read('kelivo', providerOptions.kelivo) };
}

function toArgumentError(namespace: string, value: unknown, error: z.ZodError): InvalidArgumentError {
  const issue = error.issues[0];
  const path = (issue?.path ?? []).map(String);
  const argument = ['providerOptions', namespace, ...path].join('.');
  const got = path.reduce<unknown>(
    (parent, key) => (typeof parent === 'object' && parent !== null ? Reflect.get(parent, key) : undefined),
    value,
  );
  const reason = issue?.message ?? 'Invalid value';
  return new InvalidArgumentError({
    argument,
    message: `Invalid value for \`${argument}\`. ${reason}, got ${JSON.stringify(got)}. Correct or remove it.`,
    cause: error,
  });
}

/** Options of a message or part in a history, as this package and the official provider write them. */
export interface PartOptions {
  /** Id of the output item. */
  readonly itemId?: string;
  /** Id of the response that contains the part, if the server stores it. */
  readonly responseId?: string;
  readonly reasoningEncryptedContent?: string;
  readonly phase?: string;
  readonly imageDetail?: string;
  readonly promptCacheBreakpoint?: unknown;
  readonly async?: boolean;
  readonly namespace?: string;
  /** Caller of a tool: the model, or a program as `{ type: 'program', callerId }`. */
  readonly caller?: PlainObject;
  readonly reasoningEffortUpdate?: unknown;
  readonly textFormatUpdate?: unknown;
  readonly additionalTools?: unknown;
}

type Namespace = ProviderOptions[string];

export interface OptionsOfPart {
  readonly providerOptions?: ProviderOptions | undefined;
  readonly own?: PartFacts | undefined;
}

/**
 * Reads the options of a message or part from the namespaces `openai` and `kelivo`, which takes precedence. A part with
 * neither may have the same options under another provider of this API, such as `azure` or `xai`.
 */
export function readPartOptions(options: OptionsOfPart): PartOptions {
  if (options.providerOptions === undefined && options.own === undefined) return NO_OPTIONS;
  const { openai, kelivo } = options.providerOptions ?? {};
  const namespace: Namespace | undefined =
    openai === undefined && kelivo === undefined && options.own === undefined
      ? (Object.values(options.providerOptions ?? {}).find(isItemNamespace) ?? options.providerOptions?.azure)
      : { ...openai, ...kelivo };
  if (namespace === undefined) return NO_OPTIONS;
  return {
    itemId: idOf(namespace.itemId),
    responseId: options.own?.responseId ?? idOf(namespace.responseId),
    reasoningEncryptedContent: idOf(namespace.reasoningEncryptedContent),
    phase: idOf(namespace.phase),
    imageDetail: idOf(namespace.imageDetail),
    promptCacheBreakpoint: namespace.promptCacheBreakpoint ?? undefined,
    async: typeof namespace.async === 'boolean' ? namespace.async : undefined,
    namespace: idOf(namespace.namespace),
    caller: objectOf(namespace.caller),
    reasoningEffortUpdate: namespace.reasoningEffortUpdate ?? undefined,
    textFormatUpdate: namespace.textFormatUpdate ?? undefined,
    additionalTools: namespace.additionalTools ?? undefined,
  };
}

const NO_OPTIONS: PartOptions = {};

/** Returns the field that marks the end of a cacheable prefix. Empty without a breakpoint. */
export function toCacheBreakpoint(breakpoint: unknown): { prompt_cache_breakpoint?: unknown } {
  return breakpoint === undefined ? {} : { prompt_cache_breakpoint: breakpoint };
}

function isItemNamespace(namespace: Namespace | undefined): namespace is Namespace {
  return idOf(namespace?.itemId) !== undefined || idOf(namespace?.reasoningEncryptedContent) !== undefined;
}
