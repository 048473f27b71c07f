import { loadOptionalSetting } from '@ai-sdk/provider-utils';
import * as z from 'zod/v4';
import { toModelExpression } from '../shared/model-pattern.js';

/**
 * Which implementation answers. `on` and `true`: this package's. `off` and `false`: the official one. Model id patterns,
 * as a list or one text with commas, whose `*` stands for any characters: this package's for the models they name.
 */
export type SwitchValue = boolean | string | readonly string[];

/** A value, or a function that gives one for a model; where it gives none, the environment decides. */
export type SwitchSetting = SwitchValue | ((modelId: string) => SwitchValue | undefined);

/** The environment variable that decides where no setting does. */
const SWITCH_VARIABLE = 'KELIVO_RESPONSES';

/** A text without one says nothing. */
const WORD = /[^\s,]/;

export const switchValueSchema = z.union(
  [
    z.boolean(),
    z.string().regex(WORD, 'expected "on", "off" or patterns of model ids'),
    z.array(z.string().min(1)),
  ],
  'expected true, false, "on", "off" or patterns of model ids',
);

const WORDS: Readonly<Record<string, boolean>> = {
  ...{ on: true, true: true, yes: true, 1: true },
  ...{ off: false, false: false, no: false, 0: false },
};

/** Whether this package's implementation answers for a model. Read anew each time, as operations may change it. */
export function isSwitchedOn(modelId: string, setting: SwitchSetting | undefined): boolean {
  const value = (typeof setting === 'function' ? setting(modelId) : setting) ?? readEnvironment() ?? true;
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return value.some(pattern => toModelExpression(pattern).test(modelId));
  const word = value.trim().toLowerCase();
  if (Object.hasOwn(WORDS, word)) return WORDS[word] === true;
  return isSwitchedOn(modelId, toPatterns(value));
}

/** A variable that says nothing is not set. */
function readEnvironment(): string | undefined {
  const value = loadOptionalSetting({ settingValue: undefined, environmentVariableName: SWITCH_VARIABLE });
  return value !== undefined && WORD.test(value) ? value : undefined;
}

const toPatterns = (text: string): string[] =>
  text
    .split(',')
    .map(pattern => pattern.trim())
    .filter(pattern => pattern !== '');
