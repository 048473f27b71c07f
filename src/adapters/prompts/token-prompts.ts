import type { FunctionTool } from '../../core/prompt.js';
import { isPlainObject, objectOf } from '../../shared/json.js';
import {
  each,
  enclose,
  escapeMarker,
  exampleCall,
  lines,
  toArguments,
  toFunction,
  toJsonWithout,
  type ToolPrompt,
} from './tool-prompt.js';

const DELIMITER = '<|"|>';

const toGemmaText = (text: string): string => `${DELIMITER}${escapeMarker(text, DELIMITER)}${DELIMITER}`;

/** Writes a value of Gemma: JSON with sorted keys, and with strings between delimiters. */
function toGemma(value: unknown): string {
  if (typeof value === 'string') return toGemmaText(value);
  if (Array.isArray(value)) return `[${value.map(toGemma).join(',')}]`;
  if (!isPlainObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, one]) => `${/^[\w.-]+$/.test(key) ? key : toGemmaText(key)}:${toGemma(one)}`);
  return `{${entries.join(',')}}`;
}

/** The names of types are in capitals. */
const toGemmaSchema = (schema: unknown): unknown =>
  Array.isArray(schema)
    ? schema.map(toGemmaSchema)
    : isPlainObject(schema)
      ? Object.fromEntries(
          Object.entries(schema).map(([key, value]) => [
            key,
            key === 'type' && typeof value === 'string' ? value.toUpperCase() : toGemmaSchema(value),
          ]),
        )
      : schema;

const toGemmaCalls: ToolPrompt['calls'] = calls =>
  calls.map(({ name, input }) => `<|tool_call>call:${name}${toGemma(input)}<tool_call|>`).join('');

/** Gemma 4. */
export const gemma4Prompt: ToolPrompt = {
  tools: tools =>
    lines(
      ...tools.map(tool => {
        const { name, ...declaration } = toFunction(tool);
        return `<|tool>declaration:${name}${toGemma(toGemmaSchema(declaration))}<tool|>`;
      }),
      '',
      'To call tools, end your response with one of these for each call:',
      toGemmaCalls([exampleCall]),
    ),
  calls: toGemmaCalls,
  results: each(({ name, text }) =>
    enclose(`response:${name}${toGemma({ value: text })}`, {
      ...{ open: '<|tool_response>', close: '<tool_response|>' },
      separator: '',
    }),
  ),
};

/** Creates the prompt of a Kimi model. Its calls are numbered. */
const createKimiPrompt = (
  calls: ToolPrompt['calls'],
  { firstNumber }: { firstNumber: number },
): ToolPrompt => ({
  tools: tools =>
    lines(
      '# Tools',
      '',
      JSON.stringify(tools.map(tool => ({ type: 'function', function: toFunction(tool) }))),
      '',
      `To call tools, end your response with a section in this format, and number the calls from ${firstNumber}:`,
      calls([exampleCall]),
    ),
  calls,
  results: each(({ id, text }) => lines(`## Return of ${id}`, text)),
});

const toKimiCalls: ToolPrompt['calls'] = calls => {
  const written = calls.map(
    ({ id, name, input }, index) =>
      `<|tool_call_begin|>${id.startsWith(`functions.${name}:`) ? id : `functions.${name}:${index}`}` +
      `<|tool_call_argument_begin|>${JSON.stringify(input)}<|tool_call_end|>`,
  );
  return `<|tool_calls_section_begin|>${written.join('')}<|tool_calls_section_end|>`;
};

/** Kimi K2. */
export const kimiPrompt = createKimiPrompt(toKimiCalls, { firstNumber: 0 });

const toK3 = (name: string, attributes: Record<string, string>, body: string): string => {
  const written = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`,
  );
  return `<|open|>${name}${written.join('')}<|sep|>${body}<|close|>${name}<|sep|>`;
};

const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;

const toK3Calls: ToolPrompt['calls'] = calls =>
  toK3(
    'tools',
    {},
    calls
      .map((call, index) => {
        const written = toArguments(call, (key, value) =>
          toK3(
            'argument',
            { key, type: typeOf(call.input[key]) },
            escapeMarker(value, '<|close|>argument<|sep|>'),
          ),
        );
        return toK3('call', { tool: call.name, index: String(index + 1) }, written.join(''));
      })
      .join(''),
  );

/** Kimi K3. */
export const kimiK3Prompt = createKimiPrompt(toK3Calls, { firstNumber: 1 });

/** Writes a JSON Schema as a type of TypeScript, as the messages of gpt-oss declare parameters. */
function toType(schema: unknown): string {
  const { type, enum: values, anyOf, oneOf, items, properties, required } = objectOf(schema) ?? {};
  if (Array.isArray(values)) return values.map(value => JSON.stringify(value)).join(' | ');
  const alternatives = anyOf ?? oneOf;
  if (Array.isArray(alternatives)) return alternatives.map(toType).join(' | ');
  if (Array.isArray(type)) return type.map(one => toType({ ...objectOf(schema), type: one })).join(' | ');
  if (type === 'array') return `Array<${toType(items)}>`;
  if (isPlainObject(properties)) return toObjectType(properties, Array.isArray(required) ? required : []);
  return type === 'integer' ? 'number' : typeof type === 'string' ? type : 'any';
}

const toObjectType = (properties: object, required: readonly unknown[]): string =>
  lines(
    '{',
    ...Object.entries(properties).flatMap(([key, schema]) => [
      ...toComment(objectOf(schema)?.description),
      `${key}${required.includes(key) ? '' : '?'}: ${toType(schema)},`,
    ]),
    '}',
  );

const toComment = (text: unknown): string[] =>
  typeof text === 'string' ? text.split('\n').map(line => `// ${line}`) : [];

const toHarmonyType = (tool: FunctionTool): string => {
  const { name, description, parameters } = toFunction(tool);
  const hasParameters = Object.keys(objectOf(parameters.properties) ?? {}).length > 0;
  return lines(
    ...toComment(description),
    `type ${name} = (${hasParameters ? `_: ${toType(parameters)}` : ''}) => any;`,
    '',
  );
};

const START = '<|start|>assistant';

const toHarmonyCalls: ToolPrompt['calls'] = calls =>
  calls
    .map(
      ({ name, input }) =>
        `<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${toJsonWithout('<|', input)}<|call|>`,
    )
    .join(START);

/**
 * gpt-oss.
 *
 * @see https://cookbook.openai.com/articles/openai-harmony
 */
export const harmonyPrompt: ToolPrompt = {
  tools: tools =>
    lines(
      '# Tools',
      '',
      '## functions',
      '',
      'namespace functions {',
      '',
      ...tools.map(toHarmonyType),
      '} // namespace functions',
      '',
      'Calls to these tools must go to the commentary channel, in this format:',
      toHarmonyCalls([exampleCall]),
    ),
  calls: toHarmonyCalls,
  results: each(({ name, text }) =>
    enclose(text, {
      ...{
        open: `<|start|>functions.${name} to=assistant<|channel|>commentary<|message|>`,
        close: '<|end|>',
      },
      separator: '',
    }),
  ),
};
