import type { ModelMessage, ToolSet } from 'ai';
import { createProviderRegistryFromConfig, type ProviderRegistryOptions } from '../../../src/host/index.js';
import { runInProvider } from '../../../src/tool-loop/index.js';
import { expect, it, onTestFinished } from 'vitest';
import { combine } from '../../_products.js';
import { z } from 'zod';
import { createExits } from './_exits.js';
import { asModel, type Major, majors, type Version } from './_majors.js';
import { startServers } from './_servers.js';
import { run } from './_walk.js';
import { type Answer, type WireRequest } from './_wires.js';

const { server, mcp } = await startServers();

/** Pays if the history has no payment, or one that is said to be interrupted. */
function careful({ body }: WireRequest): Answer {
  const history = JSON.stringify(body.input ?? body.messages ?? body.contents);
  const isPaid = history.includes('paid invoice-7') && !/interrupted|No output/.test(history);
  if (isPaid) return { reasoning: 'It is paid.', text: 'The invoice is paid.' };
  const id = `call_${server.requests.length}`;
  return {
    reasoning: 'It has to be paid.',
    calls: [{ id, itemId: `fc_${id}`, tool: 'pay', input: { invoice: 'invoice-7' } }],
  };
}

/** The model that continues after the flip, without the tool loop. */
const others: Readonly<Record<string, (major: Major, isOff: () => boolean) => unknown>> = {
  'the switch turned off': (major, isOff) => {
    const exits = createExits(major, { server, mcp, enabled: () => !isOff() });
    onTestFinished(() => exits.close());
    return exits.switched();
  },
  'a registry turned off': major => {
    const options: ProviderRegistryOptions<Version> = {
      importModule: major.importModule,
      specificationVersion: major.version,
    };
    const settings = server.connection;
    const registry = createProviderRegistryFromConfig(
      { providers: { own: { type: 'kelivo-responses', settings, enabled: 'off' } } },
      options,
    );
    return registry.languageModel('own:gpt-5');
  },
  'the official provider in a registry': major => fromExits(major).model('registry-official'),
  'a chat model in a registry': major => fromExits(major).model('registry-chat'),
  'Gemini in a registry': major => fromExits(major).model('registry-gemini'),
  'an adapted chat model': major => fromExits(major).model('adapted-chat'),
};

function fromExits(major: Major) {
  const exits = createExits(major, { server, mcp });
  onTestFinished(() => exits.close());
  return exits;
}

const turns = combine({ major: majors, name: Object.keys(others), mode: ['generate', 'stream'] as const });

it.each(turns)(
  'ai $major.ai: a payment is made once if $name continues ($mode)',
  async ({ major, name, mode }) => {
    const payments: string[] = [];
    const pay = major.sdk.tool({
      description: 'Pays an invoice.',
      inputSchema: z.object({ invoice: z.string() }),
      execute: async ({ invoice }) => {
        payments.push(invoice);
        return `paid ${invoice}`;
      },
    });
    const { sdk } = major;
    let isOff = false;
    const other = others[name]?.(major, () => isOff);
    const messages: ModelMessage[] = [{ role: 'user', content: 'Pay invoice-7.' }];
    const send = async (model: unknown, own: { tools: ToolSet; providerOptions?: object }) => {
      const stopWhen = sdk.stepCountIs(5);
      const { providerOptions } = own as { providerOptions?: Record<string, Record<string, never>> };
      const result = await run(sdk, mode, {
        ...{ model: asModel(model), messages: [...messages], tools: own.tools, providerOptions },
        ...{ stopWhen, maxRetries: 0 },
      });
      messages.push(...(JSON.parse(JSON.stringify(result.messages)) as ModelMessage[]));
      return result.text;
    };
    server.reset();
    server.answer(careful);
    expect(await send(fromExits(major).model('switch-on'), runInProvider({ pay }))).toContain('paid');
    expect(payments).toEqual(['invoice-7']);

    isOff = true;
    messages.push({ role: 'user', content: 'Is it paid?' });
    const text = await send(other, { tools: { pay } });
    expect(payments).toEqual(['invoice-7']);
    expect(text).toBe('The invoice is paid.');
  },
);
