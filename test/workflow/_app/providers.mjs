import {
  createKelivoResponsesProvider as createV2,
  kelivoResponses,
  registerProvider,
} from 'kelivo-responses';
import { createKelivoResponsesProvider as createV3 } from 'kelivo-responses/v3';
import { createKelivoResponsesProvider as createV4 } from 'kelivo-responses/v4';

const settings = { baseURL: process.env.EMULATOR_URL, apiKey: process.env.EMULATOR_KEY };

export const providers = {
  main: registerProvider('main', createV2(settings)),
  v3: registerProvider('v3', createV3(settings)),
  v4: registerProvider('v4', createV4(settings)),
  default: kelivoResponses,
  unregistered: createV4(settings),
};

/** Keeps this module in the bundle for steps, which contains only files with a step and what they use. */
export async function listProviders() {
  'use step';
  return Object.keys(providers);
}
