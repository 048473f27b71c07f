import type { JsonSchemaType } from '@modelcontextprotocol/client';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';
import { isPlainObject, objectOf, type PlainObject, stringOf } from '../../../core/shared/json.js';
import { mapSchema, resolveSchema, subschemasOf } from '../../../core/tool-calls/json-schema.js';
import type { ToolDefinition } from '../../tool-source.js';
import { compilePattern, type Pattern } from './linear-pattern.js';
import { paramHeaderKeyword } from '../transport/param-headers.js';

/** Returns a message, or none if the value is valid. Throws if that is unknown. */
type Validator = (input: unknown) => { readonly errorMessage?: string | undefined };

/** Validators by schema, so that each listing of a tool is prepared once. */
const validators = new WeakMap<object, Validator | undefined>();

/**
 * Validates the arguments of a call and returns a message for the model: the location, the expected value and its
 * schema. Many servers respond to invalid calls with a stack trace, or run them anyway.
 *
 * Returns undefined for a schema that the validator cannot read, or would misread. The server validates those calls.
 */
export function findArgumentIssue(
  tool: Pick<ToolDefinition, 'name' | 'inputSchema'>,
  input: Readonly<Record<string, unknown>>,
): string | undefined {
  const message = validate(tool.inputSchema, input);
  if (message === undefined) return undefined;
  const causes = toCauses(message);
  const list = causes.map(cause => `${cause.path.join('/') || 'the arguments'}: ${cause.text}`).join('; ');
  return `Invalid arguments for tool "${tool.name}": ${shorten(list)}. ${toExpectation(tool.inputSchema, causes)}`;
}

/** Returns what is wrong with the structured content of a result. */
export function findOutputIssue(
  { name, outputSchema }: Pick<ToolDefinition, 'name' | 'outputSchema'>,
  structuredContent: unknown,
): string | undefined {
  const message = outputSchema && validate(outputSchema, structuredContent);
  return message === undefined
    ? undefined
    : `The structured content of the tool "${name}" does not match its output schema: ${shorten(message)}`;
}

function validate(schema: object, value: unknown): string | undefined {
  if (!validators.has(schema)) validators.set(schema, createValidator(schema));
  try {
    return validators.get(schema)?.(value).errorMessage;
  } catch {
    return undefined; // a reference without a target or to itself, or a pattern of names that is not followed
  }
}

/** A difference between an answer and the form that a server has sent. */
export interface McpFormIssue {
  /** @default none, if it concerns the whole answer */
  readonly field?: string;
  /** For example `12 is greater than 9`. */
  readonly message: string;
}

/** The formats of the fields of a form. */
const formFormats = ['email', 'uri', 'date', 'date-time'];

/** Implements `findFormIssues`. */
export function compareWithForm(form: object, answer: unknown): readonly McpFormIssue[] {
  const closed = { ...form, type: 'object', additionalProperties: false };
  try {
    const compare = createValidator(closed, { formats: formFormats });
    if (compare === undefined) return unreadableForm;
    const message = compare(answer).errorMessage;
    return (message === undefined ? [] : toCauses(message)).map(({ path: [field], text }) => ({
      ...(field !== undefined && { field }),
      message: text,
    }));
  } catch {
    return unreadableForm;
  }
}

const unreadableForm: readonly McpFormIssue[] = [
  { message: 'The form of the server cannot be read, so no answer to it can be checked' },
];

/**
 * Creates a validator that does not generate code, which some runtimes forbid, and that follows no reference to another
 * document. It supports draft 2020-12, and the older drafts that a schema declares.
 *
 * @param options.formats The formats that are rules.
 */
function createValidator(
  schema: object,
  options: { formats?: readonly unknown[] } = {},
): Validator | undefined {
  try {
    if (!isReadable(schema)) return undefined;
    const rules = toCheckedRules(schema, options.formats ?? []);
    const prepare = (checked: object) =>
      new CfWorkerJsonSchemaValidator().getValidator(checked as JsonSchemaType);
    const patterns = compilePatterns(rules);
    if (patterns.size === 0) return prepare(rules);
    const inverted = findInverted(rules);
    return input => {
      const checked = withoutPatterns(rules, { patterns, inverted, texts: textsOf(input) });
      if (checked === undefined) throw new Error('Expected patterns that can be followed.');
      return prepare(checked)(input);
    };
  } catch {
    return undefined; // another draft
  }
}

/** The most subschemas that a call is validated against. A few references to references describe billions. */
const maxCost = 100_000;

/** Returns false for a schema that would be misread or take too long. */
function isReadable(root: object): boolean {
  const targets = new Map<string, unknown>();
  const costs = new Map<PlainObject, number>();

  function collectAnchors(schema: unknown): void {
    const { $anchor, $dynamicAnchor = $anchor } = objectOf(schema) ?? {};
    if (typeof $dynamicAnchor === 'string') targets.set(`#${$dynamicAnchor}`, schema);
    for (const inner of subschemasOf(schema)) collectAnchors(inner.schema);
  }

  function costOf(schema: unknown): number {
    if (!isPlainObject(schema)) return 1;
    const known = costs.get(schema);
    if (known !== undefined) return known;
    costs.set(schema, 1); // a recursive schema: its depth is that of the arguments
    // Definitions cost something only where they are used.
    const applied = subschemasOf(schema).filter(
      ({ path: [key = ''] }) => key !== '$defs' && key !== 'definitions',
    );
    const inner = applied.reduce((sum, entry) => sum + costOf(entry.schema), 1);
    const reference = schema.$ref ?? schema.$dynamicRef;
    const cost = inner + (reference === undefined ? 0 : costOf(targetOf(stringOf(reference))));
    costs.set(schema, cost);
    return cost;
  }

  const targetOf = (reference: string): unknown =>
    targets.get(reference) ?? resolveSchema({ $ref: reference }, root);

  collectAnchors(root);
  return costOf(root) <= maxCost;
}

const types: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

/**
 * Removes rules that are not checked. Formats are annotations in draft 2020-12. Unknown types and the limits of draft 4
 * would reject every value.
 */
function toCheckedRules(schema: object, formats: readonly unknown[]): object {
  return mapSchema(schema, ({ format, ...rest }) => {
    const { type, exclusiveMinimum, exclusiveMaximum, $dynamicRef, $dynamicAnchor, ...others } = rest;
    return {
      // In one document, a dynamic reference has one target. The validator does not follow it.
      ...($dynamicRef !== undefined && { $ref: $dynamicRef }),
      ...($dynamicAnchor !== undefined && { $anchor: $dynamicAnchor }),
      ...others,
      ...(formats.includes(format) && { format }),
      ...([type].flat().every(name => types.includes(name)) && {
        // An argument that is repeated as a header may be null: it then has no header.
        type: paramHeaderKeyword in others ? [type, 'null'].flat() : type,
      }),
      ...(typeof exclusiveMinimum === 'number' && { exclusiveMinimum }),
      ...(typeof exclusiveMaximum === 'number' && { exclusiveMaximum }),
    };
  });
}

/** The most states of patterns that the texts of a call are compared with: about a second for a hostile schema. */
const MAX_STEPS = 5_000_000;

/** The most comparisons of a text with one that a pattern excludes: about a second as well. */
const MAX_COMPARISONS = 50_000_000;

/** Compiles the patterns in a schema. Those that cannot be followed in linear time have no function. */
function compilePatterns(root: object): ReadonlyMap<string, Pattern | undefined> {
  const patterns = new Map<string, Pattern | undefined>();
  mapSchema(root, schema => {
    const { pattern, patternProperties } = schema;
    const sources = [pattern, ...Object.keys(objectOf(patternProperties) ?? {})];
    for (const source of sources)
      if (typeof source === 'string') patterns.set(source, compilePattern(source));
    return schema;
  });
  return patterns;
}

/** Keywords that may reject more if a schema in them rejects less. */
const INVERTING = new Set(['not', 'oneOf', 'if', 'contains']);

/** Returns the patterns that may not be left out. */
function findInverted(root: object): ReadonlySet<string> {
  const patterns = new Set<string>();
  let isReferred = false;
  function walk(schema: unknown, isInverted: boolean): void {
    const { pattern, $ref } = objectOf(schema) ?? {};
    if (isInverted && typeof pattern === 'string') patterns.add(pattern);
    if (isInverted && $ref !== undefined && !isReferred) {
      isReferred = true;
      walk(root, true);
    }
    for (const { path, schema: inner } of subschemasOf(schema))
      walk(inner, isInverted || INVERTING.has(path[0] ?? ''));
  }
  walk(root, false);
  return patterns;
}

/** Returns all strings in a value, and the names of all properties. */
function textsOf(value: unknown, texts = new Set<string>()): ReadonlySet<string> {
  if (typeof value === 'string') texts.add(value);
  else if (Array.isArray(value)) for (const item of value) textsOf(item, texts);
  else if (isPlainObject(value))
    for (const [name, inner] of Object.entries(value)) textsOf(inner, texts.add(name));
  return texts;
}

/**
 * Replaces the patterns in a schema by rules with the same meaning for a value with these texts: a pattern excludes the
 * texts that do not match, and matching names become properties. A pattern that is not followed excludes nothing.
 *
 * @returns undefined if it is unknown which properties a schema means, or if such a pattern is in a schema that must not match.
 */
function withoutPatterns(
  root: object,
  {
    patterns,
    inverted,
    texts,
  }: {
    patterns: ReadonlyMap<string, Pattern | undefined>;
    inverted: ReadonlySet<string>;
    texts: ReadonlySet<string>;
  },
): object | undefined {
  const results = new Map<string, ReadonlySet<string> | undefined>();
  const steps = { left: MAX_STEPS };
  let comparisonsLeft = MAX_COMPARISONS;
  let isKnown = true;

  function matchesOf(source: string): ReadonlySet<string> | undefined {
    if (results.has(source)) return results.get(source);
    const matches = new Set<string>();
    let result: ReadonlySet<string> | undefined = matches;
    for (const text of texts) {
      const isMatch = patterns.get(source)?.(text, steps);
      if (isMatch === undefined) result = undefined;
      if (isMatch === true) matches.add(text);
    }
    results.set(source, result);
    return result;
  }

  /** Returns the texts that do not match. Each text of the value may be compared with each of them. */
  function excludedBy(source: string): readonly string[] | undefined {
    const matches = matchesOf(source);
    const excluded = matches && [...texts].filter(text => !matches.has(text));
    const comparisons = (excluded?.length ?? 0) * texts.size;
    if (excluded === undefined || comparisons > comparisonsLeft) {
      if (inverted.has(source)) isKnown = false;
      return undefined;
    }
    comparisonsLeft -= comparisons;
    return excluded;
  }

  const rewritten = mapSchema(root, ({ pattern, patternProperties, ...schema }) => {
    const excluded = typeof pattern === 'string' ? excludedBy(pattern) : undefined;
    const properties = new Map<string, unknown>(Object.entries(objectOf(schema.properties) ?? {}));
    for (const [source, inner] of Object.entries(objectOf(patternProperties) ?? {})) {
      const names = matchesOf(source);
      if (names === undefined) isKnown = false;
      for (const name of names ?? [])
        properties.set(name, properties.has(name) ? { allOf: [properties.get(name), inner] } : inner);
    }
    return {
      ...schema,
      ...(properties.size > 0 && { properties: Object.fromEntries(properties) }),
      ...(excluded !== undefined &&
        excluded.length > 0 && {
          allOf: [...(Array.isArray(schema.allOf) ? schema.allOf : []), { not: { enum: excluded } }],
        }),
    };
  });
  return isKnown ? rewritten : undefined;
}

interface ArgumentError {
  /** Names and indexes from the arguments to the invalid value. */
  readonly path: readonly string[];
  readonly text: string;
}

/** Messages of `@cfworker/json-schema` that only repeat another one of an outer or inner value. */
const repetition =
  /^(?:Property ".*" does not match schema|Items did not match schema|A subschema had errors|False boolean schema|does not match every subschema)$/s;

/** Reads an error of the validator, such as `#/color: Instance type "number" is invalid. Expected "string".` */
function toArgumentError(error: string): ArgumentError {
  const end = error.indexOf(': ');
  const text = error.slice(end + 2).replace(/^Instance /, '');
  return {
    path: error.slice(0, end).split('/').slice(1).map(decodeStep),
    text: text.replace(/\.$/, '').replace('matched "not" schema', 'is excluded by "not" or "pattern"'),
  };
}

/** Reads the message of the validator. The errors of outer values only repeat that an inner value is invalid. */
function toCauses(message: string): readonly ArgumentError[] {
  const errors = message.split(/; (?=#)/).map(toArgumentError);
  const found = errors.filter(error => !repetition.test(error.text));
  return found.length > 0 ? found : errors;
}

function decodeStep(step: string): string {
  return decodeURI(step).replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Returns the schemas of the arguments that the error names, or the names of all arguments. */
function toExpectation(
  { properties = {} }: ToolDefinition['inputSchema'],
  causes: readonly ArgumentError[],
): string {
  const named = Object.entries(properties).filter(([name]) =>
    causes.some(cause => (cause.path.length > 0 ? cause.path[0] === name : cause.text.includes(`"${name}"`))),
  );
  if (named.length > 0) return `Expected: ${shorten(JSON.stringify(Object.fromEntries(named)))}`;
  return `Known arguments: ${shorten(Object.keys(properties).join(', ')) || 'none'}.`;
}

const shorten = (text: string): string => (text.length > 500 ? `${text.slice(0, 500)}…` : text);
