import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import type { JsonSchemaType, JsonSchemaValidator } from '@modelcontextprotocol/client';
import { mapSchema } from '../../tool-calls/json-schema.js';
import type { ToolDefinition } from '../tool-source.js';

type Validator = JsonSchemaValidator<unknown>;

/** Validators by schema, so that each listing of a tool is compiled once. */
const validators = new WeakMap<object, Validator | undefined>();

/**
 * Validates the arguments of a call and returns a message for the model: the location, the expected value and its
 * schema. Many servers respond to invalid calls with a stack trace, or run them anyway.
 *
 * Returns undefined for a schema that cannot be compiled or that the validator would misread. The server validates
 * those calls.
 */
export function findArgumentIssue(
  { name, inputSchema }: Pick<ToolDefinition, 'name' | 'inputSchema'>,
  input: Readonly<Record<string, unknown>>,
): string | undefined {
  if (!validators.has(inputSchema)) validators.set(inputSchema, compile(inputSchema));
  const { valid = true, errorMessage = '' } = validators.get(inputSchema)?.(input) ?? {};
  if (valid) return undefined;
  const issue = errorMessage.replaceAll(/(^|, )data([/ ])/g, (_, before: string, after: string) =>
    after === '/' ? before : `${before}the arguments `,
  );
  return `Invalid arguments for tool "${name}": ${shorten(issue)}. ${toExpectation(inputSchema, errorMessage)}`;
}

function compile(schema: object): Validator | undefined {
  // Draft 7 would reject valid arguments for the first two keywords of draft 2020-12. Without patterns, it would also
  // reject valid arguments for the third.
  if (/"(?:prefixItems|minContains|patternProperties)":/.test(JSON.stringify(schema))) return undefined;
  if (!canGenerateCode()) return undefined;
  try {
    // One validator per schema: a shared one caches schemas by their `$id`, which two servers may both use.
    return new AjvJsonSchemaValidator().getValidator(withoutTextRules(schema) as JsonSchemaType);
  } catch {
    // The schema has invalid references or another draft.
    return undefined;
  }
}

let generatesCode: boolean | undefined;

/**
 * Returns false where a content security policy or the runtime (Cloudflare Workers) forbids `new Function`. The validator
 * would print an error with the generated code for each schema.
 */
function canGenerateCode(): boolean {
  if (generatesCode === undefined) {
    try {
      new Function('');
      generatesCode = true;
    } catch {
      generatesCode = false;
    }
  }
  return generatesCode;
}

/**
 * Removes the keywords `format` and `pattern`. Formats are annotations in draft 2020-12, and the validator warns about
 * unknown ones on the console. Patterns are untrusted regular expressions, and catastrophic backtracking would block
 * the process.
 */
function withoutTextRules(schema: object): object {
  return mapSchema(schema, ({ format, pattern, ...rest }) => rest);
}

/** Returns the schemas of the arguments that the message names, or the names of all arguments. */
function toExpectation({ properties = {} }: ToolDefinition['inputSchema'], message: string): string {
  const named = Object.entries(properties).filter(([name]) =>
    [`data/${toPointer(name)} `, `data/${toPointer(name)}/`, `'${name}'`].some(text =>
      message.includes(text),
    ),
  );
  if (named.length > 0) return `Expected: ${shorten(JSON.stringify(Object.fromEntries(named)))}`;
  return `Known arguments: ${shorten(Object.keys(properties).join(', ')) || 'none'}.`;
}

/** Escapes a name for a JSON pointer. */
const toPointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

const shorten = (text: string): string => (text.length > 500 ? `${text.slice(0, 500)}…` : text);
