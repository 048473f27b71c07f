import { isPlainObject, objectsOf, stringOf } from '../../shared/json.js';

/** Names of the wrapper by which OpenAI's models sometimes ask for several calls in one (vercel/ai#19098). */
const WRAPPER_NAMES: ReadonlySet<string> = new Set(['parallel', 'multi_tool_use.parallel']);

export const isParallelWrapper = (name: string): boolean => WRAPPER_NAMES.has(name);

/** The calls in the arguments of a wrapper, or undefined where they are none. */
export function toParallelCalls(text: string): { name: string; input: string }[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const uses = isPlainObject(value) ? objectsOf(value.tool_uses) : [];
  const calls = uses.map(({ recipient_name: recipient, parameters }) => ({
    name: stringOf(recipient).replace(/^functions\./, ''),
    input: JSON.stringify(parameters ?? {}),
  }));
  return calls.length > 0 && calls.every(({ name }) => name !== '') ? calls : undefined;
}
