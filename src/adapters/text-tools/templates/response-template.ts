import { KelivoError } from '../../../core/shared/errors.js';
import { isPlainObject } from '../../../core/shared/json.js';
import { toNameHint } from '../../../core/shared/names.js';
import { compileLiterals, compileTemplatePattern, type TemplatePattern } from './pattern.js';
import { PatternError } from './pattern-syntax.js';

/**
 * The `response_template` of a Hugging Face tokenizer configuration, which describes how a model writes reasoning, text and
 * calls.
 *
 * @see https://huggingface.co/docs/transformers/main/chat_response_parsing
 */
export interface ResponseTemplate {
  readonly version?: number;
  readonly defaults?: Readonly<Record<string, unknown>>;
  readonly start_anchor?: string | readonly string[];
  readonly start_anchor_pattern?: string;
  /** The fields of the message by name: `thinking`, `content` and `tool_calls`. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export type ContentParser = 'text' | 'int' | 'float' | 'bool' | 'json' | 'xml-inline' | 'kv-lines';

/** The arguments of a content parser. */
export interface ContentArgs {
  readonly strip?: boolean;
  readonly unquoted_keys?: boolean;
  readonly string_delims?: readonly (readonly [string, string])[];
  readonly allow_non_json?: boolean;
  readonly tag_pattern?: TemplatePattern;
  readonly merge_duplicates?: boolean;
  readonly line_sep?: string;
  readonly kv_sep?: string;
  readonly value_parser?: { readonly name: ContentParser; readonly args: ContentArgs };
}

export type FieldKind = 'reasoning' | 'text' | 'calls';

/** A field of a template, checked and compiled. */
export interface TemplateField {
  readonly name: string;
  readonly kind: FieldKind;
  /** @default the text outside of all regions */
  readonly open?: TemplatePattern | undefined;
  /** @default the end of the response */
  readonly close?: TemplatePattern | undefined;
  readonly content: ContentParser;
  readonly args: ContentArgs;
  readonly join: string;
  readonly transform: unknown;
  readonly isEach: boolean;
}

const KINDS: Readonly<Record<string, FieldKind>> = {
  thinking: 'reasoning',
  reasoning: 'reasoning',
  reasoning_content: 'reasoning',
  content: 'text',
  tool_calls: 'calls',
};

const TEMPLATE_KEYS = ['version', 'defaults', 'fields', 'start_anchor', 'start_anchor_pattern'];
const FIELD_KEYS = [
  'open',
  'open_pattern',
  'close',
  'close_pattern',
  'content',
  'content_args',
  'repeats',
  'join',
  'optional',
  'transform',
  'transform_each',
];

type Check = (value: unknown) => boolean;
const isString: Check = value => typeof value === 'string';
const isBoolean: Check = value => typeof value === 'boolean';
const isText: Check = value => typeof value === 'string' && value !== '';
const isLiterals: Check = value =>
  isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText));
const isDelimiters: Check = value =>
  Array.isArray(value) && value.every(pair => Array.isArray(pair) && pair.length === 2 && pair.every(isText));

/** The arguments of each content parser, with their checks. */
const PARSERS: Readonly<
  Record<ContentParser, Readonly<Record<string, readonly [expected: string, check: Check]>>>
> = {
  text: { strip: ['a boolean', isBoolean] },
  int: { strip: ['a boolean', isBoolean] },
  float: { strip: ['a boolean', isBoolean] },
  bool: { strip: ['a boolean', isBoolean] },
  json: {
    unquoted_keys: ['a boolean', isBoolean],
    string_delims: ['a list of pairs of texts', isDelimiters],
    allow_non_json: ['a boolean', isBoolean],
  },
  'xml-inline': {
    tag_pattern: ['an expression with the groups `key` and `value`', isString],
    value_parser: ['an object with `name` and `args`', isPlainObject],
    merge_duplicates: ['a boolean', isBoolean],
  },
  'kv-lines': {
    line_sep: ['a text', isText],
    kv_sep: ['a text', isText],
    strip: ['a boolean', isBoolean],
    value_parser: ['an object with `name` and `args`', isPlainObject],
  },
};

const isParser = (name: unknown): name is ContentParser =>
  typeof name === 'string' && Object.hasOwn(PARSERS, name);

function fail(path: string, expected: string, received: unknown): never {
  const shown = received === undefined ? 'nothing' : JSON.stringify(received);
  throw new KelivoError({
    code: 'invalid-settings',
    message: `Expected ${path === '' ? 'the response template' : `\`${path}\` of the response template`} to be ${expected}, got ${shown}.`,
  });
}

function checkKeys(path: string, value: object, known: readonly string[]): void {
  const unknown = Object.keys(value).find(key => !known.includes(key));
  if (unknown === undefined) return;
  throw new KelivoError({
    code: 'invalid-settings',
    message: `Unknown key \`${path === '' ? '' : `${path}.`}${unknown}\` in the response template. ${toNameHint(unknown, { kind: 'keys', known })}`,
  });
}

/**
 * Checks and compiles a response template.
 *
 * @throws KelivoError with code `invalid-settings` that names the field, the key, and what was expected.
 */
export function parseResponseTemplate(template: unknown): readonly TemplateField[] {
  if (!isPlainObject(template)) return fail('', 'an object', template);
  checkKeys('', template, TEMPLATE_KEYS);
  const { version = 1, defaults = {}, fields } = template;
  if (version !== 1) fail('version', '1', version);
  if (!isPlainObject(defaults)) fail('defaults', 'an object', defaults);
  if (!isPlainObject(fields) || Object.keys(fields).length === 0) {
    return fail('fields', 'an object with one field or more', fields);
  }
  const anchor = toDelimiter('', template, 'start_anchor');
  if (anchor === undefined)
    fail('start_anchor', 'a text or a list of texts, or `start_anchor_pattern` to be given', undefined);
  const parsed = Object.entries(fields).map(([name, field]) => parseField(name, field));
  const [, second] = parsed.filter(field => field.open === undefined);
  if (second !== undefined) {
    fail(`fields.${second.name}.open`, 'given, because another field has none', undefined);
  }
  return parsed;
}

function parseField(name: string, field: unknown): TemplateField {
  const path = `fields.${name}`;
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  if (kind === undefined) {
    return fail(
      path,
      `one of ${Object.keys(KINDS).join(', ')}, because other fields have no part in a response`,
      name,
    );
  }
  if (!isPlainObject(field)) return fail(path, 'an object', field);
  checkKeys(path, field, FIELD_KEYS);
  for (const key of ['repeats', 'optional', 'transform_each']) {
    if (field[key] !== undefined && !isBoolean(field[key])) fail(`${path}.${key}`, 'a boolean', field[key]);
  }
  const {
    content = 'text',
    content_args: args = {},
    join,
    repeats,
    transform,
    transform_each: isEach = false,
  } = field;
  if (!isParser(content))
    return fail(`${path}.content`, `one of ${Object.keys(PARSERS).join(', ')}`, content);
  if (join !== undefined && (!isString(join) || repeats !== true)) {
    fail(`${path}.join`, 'a text, beside `repeats: true`', join);
  }
  if (isEach === true && transform === undefined)
    fail(`${path}.transform`, 'given with `transform_each`', undefined);
  if (transform !== undefined) checkTransform(`${path}.transform`, transform);
  const open = toDelimiter(path, field, 'open');
  const close = toDelimiter(path, field, 'close');
  const names = [...(open?.names ?? []), ...(close?.names ?? [])];
  if (names.length > 0 && transform === undefined) {
    fail(`${path}.transform`, `given, because the patterns have the groups ${names.join(', ')}`, undefined);
  }
  checkKind(path, { kind, open, content, transform });
  return {
    name,
    kind,
    open,
    close,
    content,
    args: parseArgs(`${path}.content_args`, content, args),
    join: typeof join === 'string' ? join : '',
    transform,
    isEach: isEach === true,
  };
}

/** Rejects what a field of this kind cannot express in a response. */
function checkKind(
  path: string,
  { kind, open, content, transform }: Pick<TemplateField, 'kind' | 'open' | 'content' | 'transform'>,
): void {
  if (kind === 'calls') {
    if (open === undefined) fail(`${path}.open`, 'a text or a list of texts', undefined);
  } else if (content !== 'text') {
    fail(`${path}.content`, '"text", because this field is text', content);
  } else if (transform !== undefined && transform !== '{content}') {
    fail(`${path}.transform`, '"{content}", because this field is text', transform);
  }
  if (open !== undefined && open.prefixes === undefined && !open.matchesStart) {
    fail(`${path}.open_pattern`, 'an expression that starts with a literal text', '…');
  }
}

/** Compiles an opener, a closer or an anchor. */
function toDelimiter(
  path: string,
  field: Readonly<Record<string, unknown>>,
  key: string,
): TemplatePattern | undefined {
  const prefix = path === '' ? '' : `${path}.`;
  const literals = field[key];
  const pattern = field[`${key}_pattern`];
  if (literals !== undefined && pattern !== undefined) {
    fail(`${prefix}${key}_pattern`, `absent beside \`${key}\``, pattern);
  }
  if (literals !== undefined) {
    if (!isLiterals(literals))
      fail(`${prefix}${key}`, 'a text or a list of texts, none of them empty', literals);
    return compileLiterals([literals].flat().map(String));
  }
  if (pattern === undefined) return undefined;
  return compile(`${prefix}${key}_pattern`, pattern);
}

function compile(path: string, source: unknown): TemplatePattern {
  if (typeof source !== 'string' || source === '') return fail(path, 'a regular expression', source);
  try {
    return compileTemplatePattern(source);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new KelivoError({
      code: 'invalid-settings',
      message: `Unsupported pattern ${JSON.stringify(source)} in \`${path}\` of the response template: expected ${error.message}.`,
    });
  }
}

function parseArgs(path: string, parser: ContentParser, args: unknown): ContentArgs {
  if (!isPlainObject(args)) return fail(path, 'an object', args);
  const known = PARSERS[parser];
  checkKeys(path, args, Object.keys(known));
  for (const [key, [expected, check]] of Object.entries(known)) {
    if (args[key] !== undefined && !check(args[key])) fail(`${path}.${key}`, expected, args[key]);
  }
  const { tag_pattern: source, value_parser: value, ...others } = args;
  const pattern = parser === 'xml-inline' ? compile(`${path}.tag_pattern`, source) : undefined;
  if (pattern !== undefined && !['key', 'value'].every(name => pattern.names.includes(name))) {
    fail(`${path}.tag_pattern`, 'an expression with the groups `key` and `value`', source);
  }
  return {
    ...others,
    ...(pattern && { tag_pattern: pattern }),
    ...(isPlainObject(value) && { value_parser: parseValueParser(`${path}.value_parser`, value) }),
  };
}

function parseValueParser(
  path: string,
  value: Readonly<Record<string, unknown>>,
): ContentArgs['value_parser'] {
  checkKeys(path, value, ['name', 'args']);
  const { name = 'text', args = {} } = value;
  if (!isParser(name)) return fail(`${path}.name`, `one of ${Object.keys(PARSERS).join(', ')}`, name);
  return { name, args: parseArgs(`${path}.args`, name, args) };
}

/** The whole of a text in a transform is a path in braces. */
export const TRANSFORM_PATH = /^\{([\p{L}\p{N}_]+(?:\.[\p{L}\p{N}_]+)*)\}$/u;

function checkTransform(path: string, shape: unknown): void {
  if (typeof shape === 'string') {
    if (/[{}]/.test(shape) && !TRANSFORM_PATH.test(shape)) {
      fail(path, 'a text without braces, or a path in braces as its whole', shape);
    }
  } else if (typeof shape === 'object' && shape !== null) {
    for (const [key, inner] of Object.entries(shape)) checkTransform(`${path}.${key}`, inner);
  }
}
