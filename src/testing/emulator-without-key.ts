import { loadOptionalSetting } from '@ai-sdk/provider-utils';
import { startEmulator } from './emulator.js';
import { MODELS } from './routes.js';

/**
 * Returns settings of a provider with which a first program runs before there is an API key: without the environment
 * variables `OPENAI_API_KEY` and `OPENAI_BASE_URL`, it starts the emulator, says so on the standard error output, and
 * returns its address. As soon as one of them is set, and always with `NODE_ENV=production`, it returns no settings. The
 * emulator ends with the program.
 *
 * @example
 * ```ts
 * const provider = createKelivoResponsesProvider({ ...(await emulatorWithoutKey()) });
 * ```
 */
export async function emulatorWithoutKey(): Promise<{ baseURL?: string }> {
  if (isSet('OPENAI_API_KEY') || isSet('OPENAI_BASE_URL') || process.env.NODE_ENV === 'production') return {};
  const { baseURL } = await startEmulator({ models: MODELS }, { keepsProcess: false });
  process.stderr.write(
    `OPENAI_API_KEY is not set: the emulator on ${baseURL} answers, which follows rules and is no model.\n`,
  );
  return { baseURL };
}

const isSet = (name: string): boolean =>
  Boolean(loadOptionalSetting({ settingValue: undefined, environmentVariableName: name }));
