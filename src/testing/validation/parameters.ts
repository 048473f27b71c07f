import { isPlainObject, objectsOf, type PlainObject } from '../../core/shared/json.js';
import {
  type ApiError,
  badRequest,
  emptyArray,
  findFirst,
  invalidType,
  invalidValue,
  missingParameter,
  toQuotedList,
  unknownParameter,
} from '../protocol/wire.js';
import { type ModelKind, toModelKind, toModelName } from '../protocol/request.js';
import { tooLong, validateTextFormat, validateTools } from './tools.js';

/** Returns the API's first error for the parameters of a request, except its input items. */
export const validateRequest = (body: PlainObject): ApiError | undefined =>
  findFirst(checks, check => check(body));

const checks: readonly ((body: PlainObject) => ApiError | undefined)[] = [
  checkNames,
  checkModel,
  checkInput,
  checkTypes,
  checkInclude,
  checkSampling,
  checkReasoning,
  checkEffort,
  checkConfiguration,
  checkBackground,
  checkRanges,
  checkChoices,
  checkMetadata,
  checkText,
  body => validateTextFormat(body.text),
  body => validateTools(body.tools),
  checkToolChoice,
];

const parameters = new Set(
  (
    'access_programs background background_options context_management conversation image include input instructions max_output_tokens max_tool_calls ' +
    'metadata model moderation parallel_tool_calls previous_response_id prompt prompt_cache_key ' +
    'prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store stream ' +
    'stream_options temperature text tool_choice tools top_logprobs top_p truncation user'
  ).split(' '),
);

// Parameters of the Chat Completions API and their replacements.
const movedParameters: Readonly<Record<string, string>> = {
  messages: 'input',
  max_tokens: 'max_output_tokens',
  max_completion_tokens: 'max_output_tokens',
  reasoning_effort: 'reasoning.effort',
  response_format: 'text.format',
};

const includeValues = [
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
];

interface Expectation {
  readonly expected: string;
  readonly matches: (value: unknown) => boolean;
}

const boolean: Expectation = { expected: 'a boolean', matches: value => typeof value === 'boolean' };
const object: Expectation = { expected: 'an object', matches: isPlainObject };

const types: Readonly<Record<string, Expectation>> = {
  background: boolean,
  instructions: { expected: 'a string', matches: value => typeof value === 'string' },
  metadata: object,
  parallel_tool_calls: boolean,
  reasoning: object,
  store: boolean,
  stream: boolean,
  text: object,
  tools: { expected: 'an array of objects', matches: Array.isArray },
};

function checkNames(body: PlainObject): ApiError | undefined {
  const name = Object.keys(body).find(key => !parameters.has(key));
  if (name === undefined) return undefined;
  const moved = movedParameters[name];
  if (moved === undefined) return unknownParameter(name);
  return badRequest(
    `Unsupported parameter: '${name}'. In the Responses API, this parameter has moved to '${moved}'. ` +
      'Try again with the new parameter. See the API documentation for more information: ' +
      'https://platform.openai.com/docs/api-reference/responses/create.',
    { code: 'unsupported_parameter' },
  );
}

function checkModel({ model }: PlainObject): ApiError | undefined {
  if (model === undefined || model === null || model === '') return missingParameter('model');
  return typeof model === 'string' ? undefined : invalidType('model', { expected: 'a string', value: model });
}

function checkInput({
  input,
  previous_response_id,
  prompt,
  conversation,
}: PlainObject): ApiError | undefined {
  const isEmpty = input === undefined || input === null || (Array.isArray(input) && input.length === 0);
  if (!isEmpty) {
    if (typeof input === 'string' || Array.isArray(input)) return undefined;
    return invalidType('input', { expected: 'one of an array of objects or string', value: input });
  }
  if (previous_response_id || prompt || conversation) return undefined;
  return badRequest(
    'One of "input" or "previous_response_id" or \'prompt\' or \'conversation_id\' must be provided.',
    { param: 'input', code: 'missing_required_parameter' },
  );
}

function checkTypes(body: PlainObject): ApiError | undefined {
  return findFirst(Object.entries(types), ([name, { expected, matches }]) => {
    const value = body[name] ?? undefined;
    return value === undefined || matches(value) ? undefined : invalidType(name, { expected, value });
  });
}

function checkInclude({ include, model }: PlainObject): ApiError | undefined {
  if (include === undefined || include === null) return undefined;
  if (!Array.isArray(include))
    return invalidType('include', { expected: 'an array of strings', value: include });
  const index = include.findIndex(value => !includeValues.includes(value));
  if (index >= 0)
    return invalidValue(`include[${index}]`, { value: include[index], supported: includeValues });
  if (kindOf(model) === 'plain' && include.includes('reasoning.encrypted_content')) {
    return badRequest('Encrypted content is not supported with this model.', { param: 'include' });
  }
  return undefined;
}

function checkSampling(body: PlainObject): ApiError | undefined {
  const effort = isPlainObject(body.reasoning) ? body.reasoning.effort : undefined;
  if (kindOf(body.model) !== 'reasoning' || effort === 'none') return undefined;
  const name = ['temperature', 'top_p'].find(key => body[key] !== undefined && body[key] !== null);
  return name === undefined ? undefined : unsupportedParameter(name, { code: null });
}

function checkReasoning({ reasoning, model }: PlainObject): ApiError | undefined {
  if (kindOf(model) !== 'plain' || !isPlainObject(reasoning)) return undefined;
  const name = Object.keys(reasoning).find(key => reasoning[key] !== null && reasoning[key] !== undefined);
  return name === undefined
    ? undefined
    : unsupportedParameter(`reasoning.${name}`, { code: 'unsupported_parameter' });
}

/** Levels of reasoning effort, by the ids of the models: https://platform.openai.com/docs/guides/reasoning */
const efforts: readonly (readonly [ids: RegExp, levels: string])[] = [
  [/^gpt-5(-mini|-nano)?(-\d{4}-\d\d-\d\d)?$/, 'minimal low medium high'],
  [/^gpt-5\.1(-\d{4}-\d\d-\d\d)?$/, 'none low medium high'],
  [/^gpt-5\.[2-5](-\d{4}-\d\d-\d\d)?$/, 'none low medium high xhigh'],
  [/^gpt-6-(sol|luna)$/, 'none low medium high xhigh max'],
  [/^gpt-6-astra$/, 'low medium high xhigh max'],
];

function checkEffort(value: PlainObject): ApiError | undefined {
  const effort = isPlainObject(value.reasoning) ? value.reasoning.effort : undefined;
  const levels = efforts.find(([ids]) => ids.test(toModelName(String(value.model))))?.[1].split(' ');
  if (typeof effort !== 'string' || levels === undefined || levels.includes(effort)) return undefined;
  return badRequest(
    `Unsupported value: '${effort}' is not supported with the '${String(value.model)}' model. ` +
      `Supported values are: ${toQuotedList(levels)}.`,
    { param: 'reasoning.effort', code: 'unsupported_value' },
  );
}

/** Compaction works neither with truncation nor with changes of the configuration. */
function checkConfiguration({
  input,
  context_management: management,
  truncation,
}: PlainObject): ApiError | undefined {
  const updates = Array.isArray(input) && input.some(item => item?.type === 'configuration_update');
  const isManaged = Array.isArray(management) && management.length > 0;
  if (!isManaged || !(truncation === 'auto' || updates)) return undefined;
  const conflict = truncation === 'auto' ? "truncation 'auto'" : 'configuration_update items';
  return badRequest(`'context_management' cannot be used with ${conflict}.`, { param: 'context_management' });
}

/** https://platform.openai.com/docs/guides/background */
function checkBackground(value: PlainObject): ApiError | undefined {
  if (value.background !== true || value.store !== false) return undefined;
  return badRequest("Background mode requires 'store' to be true.", { param: 'background' });
}

function checkRanges(body: PlainObject): ApiError | undefined {
  const thresholds = objectsOf(body.context_management).map(
    (entry, index) =>
      [`context_management[${index}].compact_threshold`, entry.compact_threshold, 1000, Infinity] as const,
  );
  return findFirst(
    [
      ['max_output_tokens', body.max_output_tokens, 16, Infinity] as const,
      ['top_logprobs', body.top_logprobs, 0, 20] as const,
      ...thresholds,
    ],
    ([param, value, minimum, maximum]) => checkInteger(value, { param, minimum, maximum }),
  );
}

function checkInteger(
  value: unknown,
  { param, minimum, maximum }: { param: string; minimum: number; maximum: number },
): ApiError | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Number.isInteger(value)) return invalidType(param, { expected: 'an integer', value });
  const isBelow = Number(value) < minimum;
  if (!isBelow && Number(value) <= maximum) return undefined;
  const [issue, bound, code] = isBelow
    ? ['below minimum', `>= ${minimum}`, 'integer_below_min_value']
    : ['above maximum', `<= ${maximum}`, 'integer_above_max_value'];
  return badRequest(
    `Invalid '${param}': integer ${issue} value. Expected a value ${bound}, but got ${Number(value)} instead.`,
    { param, code },
  );
}

function checkChoices({ service_tier: tier, text, truncation }: PlainObject): ApiError | undefined {
  return findFirst(
    [
      ['service_tier', tier, ['auto', 'default', 'fast', 'flex', 'priority', 'scale', 'ultrafast']] as const,
      ['truncation', truncation, ['auto', 'disabled']] as const,
      [
        'text.verbosity',
        isPlainObject(text) ? text.verbosity : undefined,
        ['low', 'medium', 'high'],
      ] as const,
    ],
    ([param, value, supported]) =>
      value === undefined || value === null || supported.some(choice => choice === value)
        ? undefined
        : invalidValue(param, { value, supported }),
  );
}

/** https://platform.openai.com/docs/api-reference/responses/create */
function checkMetadata({ metadata }: PlainObject): ApiError | undefined {
  const pairs = Object.entries(isPlainObject(metadata) ? metadata : {});
  if (pairs.length > 16) {
    return badRequest(
      `Invalid 'metadata': too many properties. Expected an object with at most 16 properties, but got an object with ${pairs.length} properties instead.`,
      { param: 'metadata', code: 'object_above_max_properties' },
    );
  }
  return findFirst(pairs, ([name, value]) => {
    const param = `metadata.${name}`;
    if (name.length > 64) return tooLong(param, { length: name.length });
    if (typeof value !== 'string') return invalidType(param, { expected: 'a string', value });
    return value.length > 512 ? tooLong(param, { length: value.length, maximum: 512 }) : undefined;
  });
}

// Error of LM Studio (https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1576). A client that never sends an
// empty `text` works with LM Studio as well.
function checkText({ text }: PlainObject): ApiError | undefined {
  return isPlainObject(text) && Object.keys(text).length === 0 ? missingParameter('text.format') : undefined;
}

function checkToolChoice({ tool_choice: choice, tools }: PlainObject): ApiError | undefined {
  const declared = objectsOf(tools);
  if (choice === 'required' && declared.length === 0) {
    return badRequest("Tool choice 'required' must be specified with 'tools' parameter.", {
      param: 'tool_choice',
    });
  }
  if (typeof choice === 'string' && !['auto', 'none', 'required'].includes(choice)) {
    return invalidValue('tool_choice', { value: choice, supported: ['none', 'auto', 'required'] });
  }
  if (!isPlainObject(choice)) return undefined;
  if (choice.type === 'allowed_tools') return checkAllowedTools(choice, declared);
  const isDeclared = declared.some(
    tool => tool.type === choice.type && (choice.type !== 'function' || tool.name === choice.name),
  );
  if (isDeclared) return undefined;
  return badRequest(`Tool choice '${String(choice.type)}' not found in 'tools' parameter.`, {
    param: 'tool_choice',
  });
}

/** The tools that a choice allows must be declared, and the model must see them without a search. */
function checkAllowedTools(
  { tools, mode }: PlainObject,
  declared: readonly PlainObject[],
): ApiError | undefined {
  if (!Array.isArray(tools) || tools.length === 0) return emptyArray('tool_choice.tools');
  if (mode !== 'auto' && mode !== 'required') {
    return invalidValue('tool_choice.mode', { value: mode, supported: ['auto', 'required'] });
  }
  const unknown = tools.find(
    allowed =>
      !declared.some(
        tool =>
          tool.type === allowed?.type &&
          tool.name === allowed?.name &&
          tool.server_label === allowed?.server_label &&
          tool.defer_loading !== true,
      ),
  );
  if (unknown === undefined) return undefined;
  const name = String(unknown?.name ?? unknown?.type);
  return badRequest(`Tool choice '${name}' not found in 'tools' parameter.`, { param: 'tool_choice.tools' });
}

const kindOf = (model: unknown): ModelKind => toModelKind(String(model));

const unsupportedParameter = (name: string, options: { code: string | null }): ApiError =>
  badRequest(`Unsupported parameter: '${name}' is not supported with this model.`, {
    param: name,
    code: options.code,
  });
