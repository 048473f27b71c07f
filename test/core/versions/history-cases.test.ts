import { readFileSync } from 'node:fs';
import type { ModelMessage, UIMessage } from 'ai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { combine, eachOf, everyNth, everyValue } from '../../_products.js';
import { z } from 'zod';
import type { HostMessage } from '../../../src/core/versions/history/hidden-calls.js';
import { defaultHistoryKeys, signMessages } from '../../../src/core/versions/history/signatures.js';
import { createExits, createHostTools, type ExitName, exitNamed } from './_exits.js';
import { callsOf, type FinishedCall, findFault } from './_history-rules.js';
import { asModel, type Major, majors } from './_majors.js';
import { startServers } from './_servers.js';
import { type History, type Mode, run, startConversation, type Turn, type Walk } from './_walk.js';
import { type Answer, type AnsweredCall, type Json, type WireRequest } from './_wires.js';

// The rows of `one-history.test.ts` that a random conversation does not reach.

const { server, mcp } = await startServers();

const modes = ['generate', 'stream'] as const;

/** The start of the image that the tool `photo` returns. */
const image = 'iVBOR';

/** The exits that differ in how they send a history. */
const targets = [
  ...(['provider', 'switch-off', 'registry-official', 'registry-chat', 'registry-gemini'] as const),
  ...(['adapted-official', 'adapted-chat', 'adapted-gemini', 'adapted-mistral'] as const),
  ...(['loop-official', 'loop-chat', 'loop-gemini', 'converted-chat'] as const),
];

const plain: Omit<Walk, 'turns'> = { stubs: false, store: false, repeatsIds: false, hidesCalls: false };

/** Plays turns, the first of which may continue a history, and returns the conversation. */
async function play(major: Major, turns: readonly Turn[], settings = plain, history?: History) {
  const conversation = startConversation(settings, { major, server, mcp }, history);
  onTestFinished(() => conversation.close());
  for (const turn of turns) {
    await conversation.play(turn);
    if (conversation.fault !== undefined) break;
  }
  return conversation;
}

function expectNoFault(fault: string | undefined, where = 'the request'): void {
  if (fault !== undefined) expect.fail(`${where}: ${fault}`);
}

const turn = (exit: ExitName, mode: Mode = 'stream', ...rounds: Turn['rounds']): Turn => ({
  exit,
  mode,
  rounds,
});

const callOf = (key: string, tool: string, input: object = { key }): AnsweredCall => ({
  ...{ tool, input: input as AnsweredCall['input'] },
  ...{ id: `call_${key}`, itemId: `fc_${key}` },
});

/** Runs one call of a host with scripted answers, and returns the result and the requests. */
async function answer(
  major: Major,
  {
    model,
    mode,
    messages,
    tools = createHostTools(major.sdk, () => {}),
    answers,
  }: {
    model: unknown;
    mode: Mode;
    messages: readonly ModelMessage[];
    tools?: Parameters<Major['sdk']['generateText']>[0]['tools'];
    answers: readonly Answer[];
  },
) {
  const script = [...answers];
  const requests: WireRequest[] = [];
  server.answer(request => {
    requests.push(request);
    return script.shift() ?? { status: 400 };
  });
  const result = await run(major.sdk, mode, {
    ...{ model: asModel(model), messages: [...messages], tools, maxRetries: 0 },
    ...{ stopWhen: major.sdk.stepCountIs(5), providerOptions: { openai: { store: false } } },
  });
  return { ...result, messages: JSON.parse(JSON.stringify(result.messages)) as ModelMessage[], requests };
}

const said = (content: string): ModelMessage => ({ role: 'user', content });

const faultIn = (
  target: ExitName,
  request: WireRequest | undefined,
  finished: readonly FinishedCall[],
): string | undefined =>
  request === undefined
    ? 'no request'
    : findFault(request, { finished, storedItem: server.storedItem, ids: exitNamed(target).ids });

const each = eachOf({ major: majors, target: targets, mode: modes });

each(
  'ai $major.ai: $target sends equal calls of one round with their own outputs ($mode)',
  async ({ major, target, mode }) => {
    let times = 0;
    const count = {
      description: 'Counts.',
      inputSchema: z.object({}),
      execute: async () => `This is number ${++times}.`,
    };
    const exits = createExits(major, { server, mcp, tools: { count } });
    onTestFinished(() => exits.close());
    const calls = [callOf('k001', 'count', {}), callOf('k002', 'count', {})];
    const first = await answer(major, {
      ...{ model: exits.model('provider'), mode, messages: [said('Count twice.')] },
      answers: [{ calls }, { text: 'Two.' }],
    });
    const { requests } = await answer(major, {
      ...{ model: exits.model(target), mode, answers: [{ text: 'Yes.' }] },
      messages: [said('Count twice.'), ...first.messages, said('Is that so?')],
    });
    const [request] = requests;
    expect(request && callsOf(request, server)).toEqual([
      { name: 'count', output: expect.stringContaining('This is number 1.') },
      { name: 'count', output: expect.stringContaining('This is number 2.') },
    ]);
  },
);

each(
  'ai $major.ai: $target sends the true outcome of a call in a truncated response',
  async ({ major, target }) => {
    const exits = createExits(major, { server, mcp });
    onTestFinished(() => exits.close());
    const first = await answer(major, {
      ...{ model: exits.model('provider'), mode: 'generate', messages: [said('Look it up.')] },
      answers: [{ calls: [callOf('k001', 'lookup')], finish: 'length' }],
    });
    expect(first.finishReason).toBe('length');
    const { requests } = await answer(major, {
      ...{ model: exits.model(target), mode: 'generate', answers: [{ text: 'Yes.' }] },
      messages: [said('Look it up.'), ...first.messages, said('And?')],
    });
    const output = 'The response ended before this tool had finished.';
    expectNoFault(faultIn(target, requests[0], [{ key: 'k001', id: 'call_k001', output }]));
  },
);

each('ai $major.ai: $target sends an image of a tool ($mode)', async ({ major, target, mode }) => {
  const exits = createExits(major, { server, mcp });
  onTestFinished(() => exits.close());
  const first = await answer(major, {
    ...{ model: exits.model('provider'), mode, messages: [said('Take a photo.')] },
    answers: [{ calls: [callOf('k001', 'photo')] }, { text: 'Nice.' }],
  });
  const { requests } = await answer(major, {
    ...{ model: exits.model(target), mode, answers: [{ text: 'Yes.' }] },
    messages: [said('Take a photo.'), ...first.messages, said('Look at it.')],
  });
  expectNoFault(faultIn(target, requests[0], [{ key: 'k001', id: 'call_k001' }]));
  const { body = {} } = requests[0] ?? {};
  const sent = JSON.stringify(body);
  switch (exitNamed(target).wire) {
    case 'responses':
      expect(sent).toContain(`"type":"input_image","image_url":"data:image/png;base64,${image}`);
      break;
    case 'gemini':
      expect(sent).toMatch(`"inlineData":{"mimeType":"image/png","data":"${image}`);
      break;
    case 'chat': {
      // Few servers accept images in messages of tools. A text must not contain the data, but say what is missing.
      // The packages for `ai` 7 decide that themselves.
      if (major.version === 'v4') break;
      const outputs = (body.messages as Json[]).filter(({ role }) => role === 'tool');
      const texts = outputs.map(({ content }) => content).filter(content => typeof content === 'string');
      expect(texts.join('\n')).not.toContain(image);
    }
  }
});

describe('a history that is cut', () => {
  const cutsOf = async (major: Major) => {
    const {
      fault,
      messages,
      finished: all,
    } = await play(major, [
      turn('provider', 'stream', { calls: ['local', 'host'], reasoning: true }, { calls: ['mcp'] }),
      turn('provider', 'generate', { calls: ['mcp', 'host-failed'], reasoning: true }),
    ]);
    expectNoFault(fault);
    const finished = all.map(call => ({ ...call, optional: true }));
    return [...messages.keys()]
      .filter(from => messages[from]?.role !== 'tool')
      .map(from => ({ from, history: { messages: messages.slice(from), finished, prompts: [] } }));
  };
  const cuts = new Map<Major, ReturnType<typeof cutsOf>>();

  each(
    'between two steps is sent without half a call by $target in ai $major.ai',
    async ({ major, target }) => {
      const known = cuts.get(major) ?? cutsOf(major);
      cuts.set(major, known);
      for (const { from, history } of everyNth(await known, 2)) {
        const { fault } = await play(major, [turn(target)], plain, history);
        expectNoFault(fault, `from message ${from}`);
      }
    },
  );
});

describe.each(majors)('ai $ai', major => {
  it.each(modes)('continues with the official provider between the steps of one turn (%s)', async mode => {
    let isOn = true;
    const exits = createExits(major, { server, mcp, enabled: () => isOn });
    onTestFinished(() => exits.close());
    const flip = major.sdk.tool({
      inputSchema: z.object({ key: z.string() }),
      execute: async ({ key }) => {
        isOn = !isOn;
        return `out:${key}`;
      },
    });
    const answers = [
      { reasoning: 'Hm.', calls: [callOf('k001', 'lookup'), callOf('k002', 'flip')] },
      { calls: [callOf('k003', 'flip')] },
      { calls: [callOf('k004', 'find')] },
      { text: 'Done.' },
    ];
    const { requests, text } = await answer(major, {
      ...{ model: exits.switched(), mode, messages: [said('Flip.')], tools: { flip }, answers },
    });
    expect(text).toBe('Done.');
    for (const [index, request] of requests.entries()) {
      const finished = answers
        .slice(0, index)
        .flatMap(({ calls = [] }) => calls.map(({ id }) => ({ key: id.slice('call_'.length), id })));
      const fault = findFault(request, { finished, storedItem: server.storedItem });
      expectNoFault(fault, `request ${index + 1}`);
    }
  });
});

const readers = ['provider', 'switch-off', 'registry-chat', 'registry-gemini', 'adapted-chat'] as const;
it.each(combine({ from: majors, to: majors, target: readers }))(
  'UI messages of ai $from.ai in ai $to.ai are sent by $target',
  async ({ from, to, target }) => {
    const exits = createExits(from, { server, mcp });
    onTestFinished(() => exits.close());
    const script: Answer[] = [
      { reasoning: 'Hm.', calls: [callOf('k001', 'lookup'), callOf('k002', 'find')] },
      { calls: [callOf('k003', 'weather')] },
      { text: 'Done.' },
    ];
    server.reset();
    server.answer(() => script.shift() ?? { status: 400 });
    const { sdk } = from;
    const result = sdk.streamText({
      ...{ model: asModel(exits.model('provider')), prompt: 'Go.', stopWhen: sdk.stepCountIs(5) },
      tools: { ...createHostTools(sdk, () => {}), ...(await exits.tools()) },
    });
    let last: UIMessage | undefined;
    for await (const message of sdk.readUIMessageStream({ stream: result.toUIMessageStream() })) {
      last = message;
    }
    const question: UIMessage = { id: '1', role: 'user', parts: [{ type: 'text', text: 'Go.' }] };
    const stored = JSON.parse(JSON.stringify([question, last])) as UIMessage[];
    const messages = await to.sdk.convertToModelMessages(stored);
    const finished = ['k001', 'k002', 'k003'].map(key => ({ key, id: `call_${key}` }));
    const conversation = await play(to, [turn(target)], plain, { messages, finished, prompts: [] });
    expectNoFault(conversation.fault);
  },
);

interface StoredHistory {
  readonly ai: number;
  readonly name: string;
  readonly messages: readonly ModelMessage[];
  readonly finished: readonly FinishedCall[];
}

/** Histories that release 0.1.0 produced. It signed nothing, so the tests sign them, as the store of an application may. */
const stored = JSON.parse(
  readFileSync(new URL('_stored-histories.json', import.meta.url), 'utf8'),
) as readonly StoredHistory[];

const rows = everyValue(
  stored.flatMap(history =>
    majors
      .filter(({ ai }) => ai === history.ai)
      .flatMap(major => targets.map(target => ({ major, name: history.name, history, target }))),
  ),
);

it.each(rows)(
  'the history of an earlier release in ai $major.ai is sent by $target: $name',
  async ({ major, history: { messages, finished }, target }) => {
    const signed = signMessages(messages as readonly HostMessage[], {
      keys: defaultHistoryKeys(),
      scope: undefined,
    }) as object[] as ModelMessage[];
    // A store contains JSON.
    const kept = JSON.parse(JSON.stringify(signed)) as ModelMessage[];
    const conversation = await play(major, [turn(target), turn('provider')], plain, {
      ...{ messages: kept, finished, prompts: [] },
    });
    expectNoFault(conversation.fault);
  },
);
