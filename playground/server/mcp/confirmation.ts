import { randomInt } from 'node:crypto';
import type { ConfirmationNeeded, NewProgram } from '../../shared/playground-state.js';
import { isEqual } from '../session.js';

/** Asks for a code that only the terminal shows, so that a client of the API cannot confirm its own programs. */
export interface Confirmations {
  /** Prints a code for a change, and revokes the one before. */
  ask(change: string, programs: readonly NewProgram[]): ConfirmationNeeded;
  /** Returns undefined if the code confirms the change. A code is valid once. */
  check(change: string, programs: readonly NewProgram[], code: string): ConfirmationNeeded | undefined;
}

/** Without letters and digits that look alike. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const LENGTH = 8;
const MAX_ATTEMPTS = 5;

/** Milliseconds. */
const LIFETIME = 120_000;

export interface ConfirmationsOptions {
  /** Writes a text where only the owner of the playground reads it. */
  readonly print: (text: string) => void;
  /** @returns milliseconds @default the monotonic clock */
  readonly now?: () => number;
}

export function createConfirmations({
  print,
  now = () => performance.now(),
}: ConfirmationsOptions): Confirmations {
  let pending: { code: string; change: string; attempts: number; expires: number } | undefined;
  return {
    ask(change, programs) {
      const code = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
      pending = { code, change, attempts: 0, expires: now() + LIFETIME };
      print(toQuestion(programs, `${code.slice(0, 4)}-${code.slice(4)}`));
      return { needsConfirmation: programs };
    },
    check(change, programs, given) {
      const refuse = (refusal: string): ConfirmationNeeded => ({ needsConfirmation: programs, refusal });
      if (pending === undefined || pending.change !== change || pending.expires <= now()) {
        pending = undefined;
        return refuse('There is no valid code for these programs. Go back and save again for a new code.');
      }
      if (isEqual(given.toUpperCase().replace(/[^A-Z\d]/g, ''), pending.code)) {
        pending = undefined;
        return undefined;
      }
      pending.attempts++;
      const left = MAX_ATTEMPTS - pending.attempts;
      if (left > 0) return refuse(`This is not the code that the terminal shows. Attempts left: ${left}.`);
      pending = undefined;
      return refuse(
        'This is not the code, and it was the last attempt. Go back and save again for a new code.',
      );
    },
  };
}

const toQuestion = (programs: readonly NewProgram[], code: string): string =>
  [
    '',
    'The page asks to start these programs with your permissions:',
    ...programs.map(program => `  ${toPrintable(JSON.stringify(program))}`),
    `Confirmation code: ${code}`,
    'It is valid once, for two minutes. If you have not asked for this, do not enter it.',
    '',
  ].join('\n');

/** Escapes everything by which a value could move the cursor of the terminal or reorder its text. */
export const toPrintable = (text: string): string =>
  text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    character => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
