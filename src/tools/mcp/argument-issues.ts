import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type { JsonSchemaType, JsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import type { ToolDefinition } from '../tool-source.js';

type Validator = JsonSchemaValidator<unknown>;

/** Compiled once for each listing of a tool. */
const validators = new WeakMap<object, Validator | undefined>();

/**
 * What is wrong with the arguments of a call, for the model to read: where, what was expected, and the schema of what
 * is meant. Many servers answer such calls with a stack trace, or run them all the same.
 *
 * A schema that cannot be compiled, or that the validator would misread, finds no fault: it is the server's to judge.
 */
export function findArgumentIssue(
  { name, inputSchema }: Pick<ToolDefinition, 'name' | 'inputSchema'>,
  input: Readonly<Record<string, unknown>>,
): string | undefined {
  if (!validators.has(inputSchema)) validators.set(inputSchema, compile(inputSchema));
  const { valid = true, errorMessage = '' } = validators.get(inputSchema)?.(input) ?? {};
  if (valid) return undefined;
  const fault = errorMessage.replaceAll(/(^|, )data([/ ])/g, (_, before: string, after: string) =>
    after === '/' ? before : `${before}the arguments `,
  );
  return `Invalid arguments for tool "${name}": ${shorten(fault)}. ${toExpectation(inputSchema, errorMessage)}`;
}

function compile(schema: object): Validator | undefined {
  // Read as draft 7, the first two of draft 2020-12 would refuse what they allow; so would the third without patterns.
  if (/"(?:prefixItems|minContains|patternProperties)":/.test(JSON.stringify(schema))) return undefined;
  try {
    // One validator for each schema: a shared one keeps schemas by their `$id`, which two servers may both use.
    return new AjvJsonSchemaValidator().getValidator(withoutTextRules(schema) as JsonSchemaType);
  } catch {
    // Broken references, other drafts; or a page whose content security policy forbids to compile.
    return undefined;
  }
}

/**
 * Formats are remarks in draft 2020-12, and the validator warns of unknown ones on the console. Patterns are regular
 * expressions of a stranger: one that backtracks for ever would stop the whole process.
 */
function withoutTextRules(schema: object): unknown {
  const isTextRule = (key: string, value: unknown): boolean =>
    (key === 'format' || key === 'pattern') && typeof value === 'string';
  return JSON.parse(JSON.stringify(schema, (key, value) => (isTextRule(key, value) ? undefined : value)));
}

/** The schemas of the arguments that the message names; where it names none, which arguments there are. */
function toExpectation({ properties = {} }: ToolDefinition['inputSchema'], message: string): string {
  const named = Object.entries(properties).filter(([name]) =>
    [`data/${toPointer(name)} `, `data/${toPointer(name)}/`, `'${name}'`].some(text =>
      message.includes(text),
    ),
  );
  if (named.length > 0) return `Expected: ${shorten(JSON.stringify(Object.fromEntries(named)))}`;
  return `Known arguments: ${shorten(Object.keys(properties).join(', ')) || 'none'}.`;
}

/** A name as JSON pointers write it. */
const toPointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

const shorten = (text: string): string => (text.length > 500 ? `${text.slice(0, 500)}…` : text);
