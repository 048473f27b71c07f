import {
  createKelivoResponsesProvider as createV2,
  kelivoResponses,
  registerProvider,
} from 'kelivo-responses';
import { createKelivoResponsesProvider as createV3 } from 'kelivo-responses/v3';
import { createKelivoResponsesProvider as createV4 } from 'kelivo-responses/v4';
import { createJournal, createSqliteStore } from 'kelivo-responses/journal';
import { z } from 'zod';

const settings = { baseURL: process.env.EMULATOR_URL, apiKey: process.env.EMULATOR_KEY };

/** The failures and the effects of durable turns. */
export const observed = { failures: 0, effects: [] };

/** Fails the first request with an output of a tool. */
async function failOnce(url, init) {
  if (observed.failures > 0 || !String(init.body).includes('function_call_output')) return fetch(url, init);
  observed.failures++;
  return new Response('{"error":{"message":"Broken"}}', { status: 400 });
}

const durable = createV4({
  ...settings,
  fetch: failOnce,
  tools: {
    book: {
      inputSchema: z.object({ seat: z.string() }),
      execute: ({ seat }) => `booking ${observed.effects.push(seat)}`,
    },
  },
  toolLoop: { journal: createJournal({ store: createSqliteStore({ path: 'turns.db' }) }) },
});

let bookings = 0;
const steps = registerProvider(
  'steps',
  createV4({
    ...settings,
    tools: {
      book: { inputSchema: z.object({ seat: z.string() }), execute: () => `booking ${++bookings}` },
    },
    toolLoop: { journal: createJournal({ store: createSqliteStore({ path: 'steps.db' }) }) },
  }),
  // Workflows and their steps evaluate this module.
  { replace: true },
);

export const providers = {
  durable,
  steps,
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

/** Declares the tools as data, which is what steps return. */
export async function listStepTools() {
  'use step';
  const { tools } = await providers.steps.agentSettings({ runBy: 'provider' });
  return Object.entries(tools).map(
    ([name, { type, isProviderExecuted, supportsDeferredResults, id, args }]) => ({
      ...{ name, type, isProviderExecuted, supportsDeferredResults, id, args },
    }),
  );
}
