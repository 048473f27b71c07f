import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { nearestName } from '../../core/shared/names.js';

/** A failure that the user can resolve. Its message is printed as one line. */
export class CommandError extends Error {}

/** An option of a command. */
export interface Option {
  /** Placeholder of the value. An option without one is a flag. */
  readonly value?: string;
  readonly about: string;
  readonly isRepeatable?: true;
}

export interface CommandInput {
  /** The arguments without a name. */
  readonly names: readonly string[];
  has(option: string): boolean;
  one(option: string): string | undefined;
  list(option: string): readonly string[];
  /** @throws CommandError for a value that is not a whole number within the limits. */
  numberOf(option: string, limits?: { minimum?: number; maximum?: number }): number | undefined;
}

/** @throws CommandError for an unknown option, a missing value or too many arguments. */
export function readInput(
  args: readonly string[],
  options: Readonly<Record<string, Option>>,
  maximum: number,
): CommandInput {
  const known = { ...options, help: { about: '' } };
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(known).map(([name, { value }]: [string, Option]) => [
        name,
        { type: value === undefined ? ('boolean' as const) : ('string' as const) },
      ]),
    ),
    strict: false,
    tokens: true,
  });
  const given = new Map<string, string[]>();
  const names: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') names.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    const option: Option | undefined = Object.hasOwn(known, name) ? Reflect.get(known, name) : undefined;
    if (option === undefined) throw new CommandError(`Unknown option ${rawName}.${hint(name, known, '--')}`);
    if ((option.value === undefined) !== (value === undefined))
      throw new CommandError(`Expected ${rawName} ${value === undefined ? 'with' : 'without'} a value.`);
    if (given.has(name) && option.isRepeatable === undefined)
      throw new CommandError(`Expected ${rawName} once, got it twice.`);
    given.set(name, [...(given.get(name) ?? []), value ?? '']);
  }
  if (names.length > maximum) throw new CommandError(`Unexpected argument "${names[maximum]}".`);
  const one = (option: string): string | undefined => given.get(option)?.[0];
  return {
    names,
    one,
    has: option => given.has(option),
    list: option => given.get(option) ?? [],
    numberOf(option, { minimum = 0, maximum: most = 1e6 } = {}) {
      const text = one(option);
      if (text === undefined) return undefined;
      if (/^\d{1,9}$/.test(text) && Number(text) >= minimum && Number(text) <= most) return Number(text);
      throw new CommandError(
        `Expected --${option} to be a whole number from ${minimum} to ${most}, got "${text}".`,
      );
    },
  };
}

/** Returns the suggestion for a misspelt name, or the command that lists all names. */
function hint(name: string, known: Readonly<Record<string, unknown>>, prefix = ''): string {
  const nearest = nearestName(name, Object.keys(known));
  return nearest === undefined ? ' See --help.' : ` Did you mean ${prefix}${nearest}?`;
}

/** Reads a file that the user names. @throws CommandError with its path. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = codeOf(error);
    const reason = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : code;
    throw new CommandError(`Cannot read ${file}: ${reason}.`);
  }
}

export const codeOf = (error: unknown): string => String(Reflect.get(Object(error), 'code'));

/** Writes text of servers on one line, with the characters that a terminal would interpret as escapes. */
export const toLine = (text: string, maximum = 1000): string => {
  const line = text
    .replaceAll(/\s+/g, space => (space.includes('\n') ? ' ' : space))
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/gu, character => {
      const hex = (character.codePointAt(0) ?? 0).toString(16);
      return `\\u${hex.length > 4 ? `{${hex}}` : hex.padStart(4, '0')}`;
    });
  return line.length > maximum ? `${line.slice(0, maximum)}…` : line;
};

export const printLine = (text = ''): void => void process.stdout.write(`${toLine(text)}\n`);
