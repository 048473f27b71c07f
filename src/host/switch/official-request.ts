import { UnsupportedFunctionalityError } from '@ai-sdk/provider';
import type { CoreCall } from '../../core/call.js';
import type { Warning } from '../../core/part.js';
import type { RequestOverride } from '../../responses/config.js';
import { callOptions as optionRows } from '../../responses/request/options.js';
import {
  isRequestField,
  type SettingOptions,
  toRequestFields,
} from '../../responses/request/setting-options.js';
import {
  readProviderOptions,
  type ResponsesCallOptions,
  warnAboutUnknownOptions,
} from '../../responses/request/read-options.js';
import { toResponseFormat } from '../../responses/request/model-settings.js';
import { createSchemaLosses } from '../../responses/request/schemas.js';
import { objectOf, type PlainObject } from '../../core/shared/json.js';

/*
 * What a call, a model and a provider add to the request of the official package. The package has built it already, from the
 * options that it knows. Fields that restrict the model or cost money are therefore the same with both implementations.
 */

/** Options of a call that change how a response is sent or read, which the official package does in its own way. */
const UNSENT = [
  'background',
  'compactionTrigger',
  'multiAgent',
] as const satisfies readonly (keyof ResponsesCallOptions)[];

/** Options that only later majors of the official package have, with the first of these. */
const LATER = { forceReasoning: 3, passThroughUnsupportedFiles: 3 } as const satisfies Partial<
  Record<keyof ResponsesCallOptions, number>
>;

/** The options of a call for the request of the official package. */
export interface OfficialRequest {
  /** Names each option that the request does not contain. */
  readonly warnings: readonly Warning[];
  /** Returns the complete body. `built` is that of the official package. */
  complete(built: PlainObject): PlainObject;
}

/**
 * Reads the options of a call.
 *
 * @throws InvalidArgumentError for an invalid option, as the models of this package do.
 * @throws UnsupportedFunctionalityError for `resume`: another request would create a second response.
 */
export function toOfficialRequest(
  call: CoreCall,
  {
    settings,
    override,
    major,
  }: { settings: SettingOptions; override: RequestOverride; /** Of the package. */ major: number },
): OfficialRequest {
  const options = readProviderOptions(call, settings);
  const warnings: Warning[] = [];
  const warn = (warning: Warning): void => void warnings.push(warning);
  warnAboutUnknownOptions(call, warn);
  if (options.resume !== undefined) {
    throw new UnsupportedFunctionalityError({
      functionality:
        '`resume` of a model that is switched to @ai-sdk/openai, which cannot continue a response',
    });
  }
  const unsent: string[] = UNSENT.filter(name => options[name] !== undefined && options[name] !== false);
  for (const [name, first] of Object.entries(LATER))
    if (major < first && objectOf(options)?.[name] !== undefined) unsent.push(name);
  if (unsent.length > 0) {
    const names = unsent.map(name => `\`${name}\``).join(', ');
    const message = `@ai-sdk/openai ${major} does not support the options ${names}. They apply when kelivo-responses is switched on.`;
    warn({ type: 'other', message });
  }
  const losses = createSchemaLosses();
  const format = toResponseFormat(call.responseFormat, { callOptions: options, losses, warn });
  losses.report(warn);
  const streamOptions = call.isStream ? options.streamOptions : undefined;
  const fields = toRequestFields(optionRows, { ...options, multiAgent: undefined, streamOptions });
  return {
    warnings,
    complete(built) {
      const completed = { ...built, ...fields, input: toInput(built.input, options) };
      return withoutUndefined({
        ...completed,
        ...(format !== undefined && { text: { ...objectOf(built.text), format } }),
        ...toInclude(built, options),
        ...override.body,
        ...options.body,
      });
    },
  };
}

/** Applies the role of system messages, which the official package chooses by the name of the model. */
function toInput(input: unknown, { systemMessageMode = 'auto' }: ResponsesCallOptions): unknown {
  if (!Array.isArray(input) || systemMessageMode === 'auto') return input;
  const isSystem = (item: unknown): boolean => ['system', 'developer'].includes(String(objectOf(item)?.role));
  if (systemMessageMode === 'remove') return input.filter(item => !isSystem(item));
  return input.map((item: unknown) =>
    isSystem(item) ? { ...objectOf(item), role: systemMessageMode } : item,
  );
}

const WEB_SEARCH_SOURCES = 'web_search_call.action.sources';

function toInclude({ include }: PlainObject, options: ResponsesCallOptions): PlainObject {
  if (options.includeWebSearchSources !== false || !Array.isArray(include)) return {};
  const rest = include.filter(value => value !== WEB_SEARCH_SOURCES);
  return { include: rest.length === 0 ? undefined : rest };
}

const withoutUndefined = (body: PlainObject): PlainObject =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));

/** The options that the official package needs for the history, although they are fields as well. */
const READ_FIELDS = ['previousResponseId', 'conversation'];

/** Returns the options of a call for the official package, without those that `complete` writes into its request. */
export function withoutFields(own: CoreCall['own']): CoreCall['own'] {
  const isWritten = (name: string): boolean =>
    name === 'body' || (!READ_FIELDS.includes(name) && isRequestField(optionRows, name));
  return Object.fromEntries(Object.entries(own).filter(([name]) => !isWritten(name)));
}
