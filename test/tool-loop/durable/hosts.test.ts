import * as ai6 from 'ai6';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import {
  createApprovalClaim,
  createJournal,
  type JournalStore,
} from '../../../src/tool-loop/durable/index.js';
import { startResponsesEmulator } from '../../../src/testing/index.js';
import { createKelivoResponsesProvider } from '../../../src/v3.js';
import { isWhole } from '../../_products.js';
import { listStores, openStore } from './_stores.js';

/** `npm test` checks the other stores with the suite of stores. */
const available = listStores().filter(({ isAvailable }, index) => isAvailable && (isWhole || index === 0));

/** Opens what a process of an application has: a store at a shared location, and a provider. */
async function startProcess(
  location: string,
  {
    baseURL,
    toolLoop,
    tools,
  }: Pick<Parameters<typeof createKelivoResponsesProvider>[0] & object, 'baseURL' | 'tools'> & {
    toolLoop?: (store: JournalStore) => object;
  },
) {
  const { store, close } = await openStore(location);
  const provider = createKelivoResponsesProvider({
    ...{ baseURL, tools },
    toolLoop: { journal: createJournal({ store }), ...toolLoop?.(store) },
  });
  onTestFinished(async () => {
    await provider.close();
    await close();
  });
  return provider;
}

async function startEmulator() {
  const emulator = await startResponsesEmulator();
  onTestFinished(() => emulator.close());
  return emulator;
}

it.each(available)(
  'a host that compacts its messages gets the output of each step, and replays the turn over $name',
  async ({ locate }) => {
    const location = await locate();
    const emulator = await startEmulator();
    let polls = 0;
    const tools = { poll: { inputSchema: z.object({}), execute: () => `state ${++polls}` } };
    // Each step of the host polls with equal arguments, and ends with a call of the host.
    const steps = [1, 2, 3].flatMap(step => [
      [{ call: 'poll', arguments: {} }],
      [{ call: 'show', arguments: { step } }],
    ]);
    emulator.enqueue(...steps, [{ text: 'Done.' }]);
    const run = async () => {
      const provider = await startProcess(location, { baseURL: emulator.baseURL, tools });
      const { text } = await ai6.generateText({
        model: provider('gpt-5'),
        prompt: 'Poll and show.',
        tools: {
          show: ai6.tool({
            inputSchema: z.object({ step: z.number() }),
            execute: ({ step }) => `shown ${step}`,
          }),
        },
        // Only the question and the last exchange: as many messages in each step.
        prepareStep: ({ messages }) => ({
          messages: [...messages.slice(0, 1), ...messages.slice(1).slice(-2)],
        }),
        stopWhen: ai6.stepCountIs(5),
        providerOptions: { kelivo: { turnId: 'turn-1' } },
      });
      return text;
    };
    expect(await run()).toBe('Done.');
    expect(polls).toBe(3);
    expect(emulator.requests).toHaveLength(7);
    const outputs = emulator.requests.map(({ body }) =>
      JSON.stringify(body)
        .match(/state \d/g)
        ?.at(-1),
    );
    expect(outputs.filter((_, index) => index % 2 === 1)).toEqual(['state 1', 'state 2', 'state 3']);

    expect(await run()).toBe('Done.');
    expect(polls).toBe(3);
    expect(emulator.requests).toHaveLength(7);
  },
);

it.each(available)(
  'an approval that is answered again in another turn and another process runs nothing over $name',
  async ({ locate }) => {
    const location = await locate();
    const emulator = await startEmulator();
    const paid: number[] = [];
    const start = () =>
      startProcess(location, {
        baseURL: emulator.baseURL,
        tools: {
          pay: {
            inputSchema: z.object({ n: z.number() }),
            execute: ({ n }: { n: number }) => `paid ${paid.push(n)}`,
          },
        },
        toolLoop: store => ({
          approve: 'host',
          hostApprovals: { secret: 'x'.repeat(32), claim: createApprovalClaim(store) },
        }),
      });
    const ask = async (turnId: string, messages: ai6.ModelMessage[]) => {
      const provider = await start();
      return ai6.generateText({
        model: provider('gpt-5'),
        messages,
        providerOptions: { kelivo: { turnId } },
      });
    };
    emulator.enqueue([{ call: 'pay', callId: 'c1', arguments: { n: 7 } }]);
    const question: ai6.ModelMessage = { role: 'user', content: 'Pay 7.' };
    const asked = await ask('turn-1', [question]);
    const request = asked.content.find(part => part.type === 'tool-approval-request');
    if (request?.type !== 'tool-approval-request') throw new Error('No approval was requested.');
    const { approvalId } = request;
    const answered: ai6.ModelMessage[] = [
      question,
      ...asked.response.messages,
      {
        role: 'tool',
        content: [{ type: 'tool-approval-response', approvalId, approved: true, providerExecuted: true }],
      },
    ];
    expect(paid).toEqual([]);

    emulator.enqueue([{ text: 'Paid.' }]);
    expect((await ask('turn-2', answered)).text).toBe('Paid.');
    expect(paid).toEqual([7]);
    // The same turn has its record, without a request.
    expect((await ask('turn-2', answered)).text).toBe('Paid.');
    emulator.enqueue([{ text: 'Twice.' }]);
    expect((await ask('turn-3', answered)).text).toBe('Twice.');
    expect(paid).toEqual([7]);
    expect(JSON.stringify(emulator.requests.at(-1)?.body)).toContain('this approval was already answered');
    expect(emulator.requests).toHaveLength(3);
  },
);
