import * as ai6 from 'ai6';
import { expect, it, onTestFinished } from 'vitest';
import { createKelivoResponsesProvider } from '../../../src/v3.js';
import { startEmulator } from '../../testing/_emulator.js';
import { secret, sharedClaim } from './_approvals.js';

it('runs an approved call with the arguments that were approved, although another release would read them otherwise', async () => {
  const emulator = await startEmulator();
  const { claim } = sharedClaim();
  const paid: unknown[] = [];
  /** The turn of a process whose tool expects amounts of a type. */
  const turn = async (type: 'string' | 'number', messages: ai6.ModelMessage[]) => {
    const inputSchema = ai6.jsonSchema<object>({ type: 'object', properties: { amount: { type } } });
    const provider = createKelivoResponsesProvider({
      baseURL: emulator.baseURL,
      apiKey: 'sk-test',
      tools: { pay: { inputSchema, execute: input => void paid.push(input) } },
      toolLoop: { approve: 'host', approvals: 'always', hostApprovals: { secret, claim } },
    });
    onTestFinished(() => provider.close());
    return ai6.generateText({ model: provider('gpt-5'), messages });
  };
  emulator.enqueue([{ call: 'pay', callId: 'c1', arguments: { amount: '7' } }], [{ text: 'Paid.' }]);
  const question: ai6.ModelMessage = { role: 'user', content: 'Pay 7.' };
  const asked = await turn('string', [question]);
  const request = asked.content.find(part => part.type === 'tool-approval-request');
  const approvalId = request?.approvalId ?? 'No approval was requested.';
  const response = {
    type: 'tool-approval-response',
    approvalId,
    approved: true,
    providerExecuted: true,
  } as const;
  await turn('number', [question, ...asked.response.messages, { role: 'tool', content: [response] }]);
  expect(paid).toEqual([{ amount: '7' }]);
});
