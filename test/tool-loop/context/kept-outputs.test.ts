import type { LanguageModelV2CallOptions, LanguageModelV2StreamPart } from '@ai-sdk/provider';
import type * as ai5 from 'ai';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { MEMORIES } from '../../../src/core/shared/memory.js';
import { memoryStore } from '../../../src/tool-loop/features/kept-outputs/memory-store.js';
import { keepOutput } from '../../../src/tool-loop/features/kept-outputs/keeping.js';
import type { ToolOutputStore } from '../../../src/tool-loop/index.js';
import type { ToolLoopOptions } from '../../../src/tool-loop/options.js';
import { withToolLoop } from '../../../src/tool-loop/tool-loop.js';
import type { ToolOutput } from '../../../src/tools/tool-source.js';
import { everyValue } from '../../_products.js';
import { startEmulator } from '../../testing/_emulator.js';
import {
  call,
  callRound,
  exchangeOf,
  finishOf,
  ofType,
  scriptedModel,
  type ScriptedRound,
  stream,
  textRound,
  user,
} from '../_scripted-model.js';
import { type Execute, type ScriptedTool, scriptedTools } from '../_tools.js';
import { hosts } from '../_hosts.js';

globalThis.AI_SDK_LOG_WARNINGS = false;

/** 40,000 lines of 75 characters: 3 MB. */
const LOG = Array.from({ length: 40_000 }, (_, line) =>
  `line ${line + 1} ${line === 31_415 ? 'ERROR: the disk is full' : 'ok'} `.padEnd(74, '.'),
).join('\n');

const idIn = (value: unknown): string =>
  /out_[0-9a-f]{32}/.exec(JSON.stringify(value))?.[0] ?? 'There is no id.';

const read = (id: string, more: object = {}) => callRound(call('r', 'read_tool_output', { id, ...more }));

/** The id in the request of a round, which the model of the script has received. */
const readKept =
  (more: object = {}, toolName = 'read_tool_output'): ScriptedRound =>
  ({ prompt }) =>
    callRound(call('r', toolName, { id: idIn(prompt), ...more })) as Iterable<LanguageModelV2StreamPart>;

interface Run extends Omit<ToolLoopOptions, 'tools'> {
  readonly tools?: Readonly<Record<string, Execute | ScriptedTool>>;
  readonly call?: Partial<LanguageModelV2CallOptions>;
}

/** Runs a turn with one call of a tool, then further rounds. */
async function run(more: readonly ScriptedRound[], { tools = {}, call: options, ...loop }: Run = {}) {
  const model = scriptedModel(callRound(call('c', 'read_log')), ...more, textRound('Done.'));
  const source = scriptedTools({ read_log: () => LOG, ...tools });
  const looping = withToolLoop(model, { tools: source, keepToolOutputs: true, ...loop });
  const parts = await stream(looping, { prompt: user('Go.'), ...options });
  return {
    parts,
    requests: model.requests,
    outputs: exchangeOf(model.requests.at(-1)).outputs.map(([, output]) => output),
    toolNames: model.requests.map(request => request.tools?.map(({ name }) => name)),
    warnings: finishOf(parts).providerMetadata?.kelivo?.warnings,
  };
}

const asScope = (scope: string) => ({ call: { providerOptions: { kelivo: { scope } } } });

/** Creates a store that records its texts. */
function createStore(texts = new Map<string, string>()) {
  const store: ToolOutputStore = {
    async put(key, text) {
      texts.set(key, text);
    },
    get: async key => texts.get(key),
  };
  return { store, texts };
}

describe('an output of 3 MB', () => {
  it('reaches the model as its beginning and its end, with its size and an id', async () => {
    const { outputs, parts } = await run([]);
    const [output] = outputs as string[];
    expect(output).toMatch(
      /^\[This output of 2999999 characters in 40000 lines is kept with the id "out_[0-9a-f]{32}"\. Call read_tool_output with/,
    );
    expect(output?.length).toBeLessThanOrEqual(8000);
    expect(output).toContain('line 1 ok');
    expect(output?.endsWith(LOG.slice(-1000))).toBe(true);
    const [shown] = ofType(parts, 'tool-result');
    expect(shown?.result).toBe(output);
    expect(shown?.providerMetadata?.kelivo).toMatchObject({
      output: { id: idIn(output), chars: LOG.length },
    });
  });

  it('is searched, with the line and the place of each passage', async () => {
    const { outputs } = await run([readKept({ find: 'error: THE disk' })]);
    const at = LOG.indexOf('ERROR');
    expect(outputs[1]).toContain(`At character ${at} in line 31416: `);
    expect(outputs[1]).toContain('line 31416 ERROR: the disk is full');
    expect(String(outputs[1]).length).toBeLessThan(1200);
  });

  it('is searched on from an offset, and without a result', async () => {
    const { outputs } = await run([
      readKept({ find: 'line 3' }),
      readKept({ find: 'line 3', offset: 2_000_000, limit: 500 }),
      readKept({ find: 'disk', offset: 2_500_000 }),
      readKept({ find: 'no such text' }),
    ]);
    expect(outputs[1]).toMatch(/More passages follow\. Search on with the offset \d+\.\]$/);
    expect(outputs[2]).toContain('in line 30000: ');
    expect(String(outputs[2]).length).toBeLessThan(1000);
    expect(outputs[3]).toBe('The output does not contain this text from character 2500000 on.');
    expect(outputs[4]).toBe('The output does not contain this text.');
  });

  it('is read in pages that join to the whole', async () => {
    const text = `${'😀'.repeat(30_001)}\n${'x'.repeat(10_000)}`;
    const model = scriptedModel(callRound(call('c', 'read_log')), ...readAll(), textRound('Done.'));
    const pages: string[] = [];
    function readAll(): ScriptedRound[] {
      return Array.from({ length: 8 }, (_, index) => ({ prompt }: LanguageModelV2CallOptions) => {
        const newest = JSON.stringify(prompt.at(-1));
        const offset = index === 0 ? 0 : Number(/with the offset (\d+)/.exec(newest)?.[1]);
        return callRound(
          call(`r${index}`, 'read_tool_output', { id: idIn(prompt), offset, limit: 10_001 }),
        ) as Iterable<LanguageModelV2StreamPart>;
      });
    }
    await stream(
      withToolLoop(model, {
        tools: scriptedTools({ read_log: () => text }),
        keepToolOutputs: true,
        maxToolOutputChars: 60_000,
      }),
      { prompt: user('Go.') },
    );
    for (const [, output] of exchangeOf(model.requests.at(-1)).outputs.slice(1))
      pages.push(
        String(output)
          .replace(/^\[From character \d+ in line \d+\]\n/, '')
          .replace(/\n\[\d+ more characters.*\]$/, ''),
      );
    expect(pages).toHaveLength(8);
    expect(pages.join('')).toBe(text);
    // A half of a pair would throw.
    for (const page of pages) encodeURIComponent(page);
  });

  it('is refused in ways that a model can correct', async () => {
    const { outputs } = await run([
      readKept({ offset: 3_000_000 }),
      readKept({ limit: -5 }),
      readKept({ find: 'x'.repeat(201) }),
      readKept({ offset: 'twelve', limit: 'few' }),
    ]);
    expect(outputs.slice(1, 4)).toEqual([
      'Expected `offset` to be less than 2999999, the length of the output, got 3000000.',
      'Expected `limit` to be at least 1, got -5.',
      'Expected `find` to have at most 200 characters, got 201.',
    ]);
    expect(String(outputs[4]).startsWith('line 1 ok')).toBe(true);
  });

  it('leaves the tools of the request as they are until the round after, and those of turns without it', async () => {
    const long = await run([readKept()]);
    expect(long.toolNames).toEqual([
      ['read_log'],
      ['read_log', 'read_tool_output'],
      ['read_log', 'read_tool_output'],
    ]);
    const short = await run([], { tools: { read_log: () => 'short' } });
    expect(short.toolNames).toEqual([['read_log'], ['read_log']]);
    expect(short.outputs).toEqual(['short']);
    const off = await run([], { keepToolOutputs: false });
    expect(off.toolNames).toEqual([['read_log'], ['read_log']]);
    expect(off.outputs[0]).toMatch(/characters omitted/);
    expect(off.warnings).toEqual([
      'Outputs of the tool "read_log" have more than 100000 characters and were cut. Set `keepToolOutputs` of the tool loop, ' +
        'so that the model can read the rest, or `maxToolOutputChars`.',
    ]);
  });
});

it.each(everyValue(hosts.flatMap(host => [true, false].map(isStreamed => ({ ...host, isStreamed })))))(
  'is read in the next turn of a stored conversation, over HTTP: ai $major, streamed: $isStreamed',
  async ({ sdk, create, isStreamed }) => {
    const emulator = await startEmulator();
    const provider = create({
      baseURL: emulator.baseURL,
      apiKey: 'sk-test',
      store: false,
      tools: scriptedTools({ read_log: () => LOG }),
      toolLoop: { keepToolOutputs: true },
    });
    onTestFinished(() => provider.close());
    let messages: ai5.ModelMessage[] = [];
    const say = async (content: string, scope = 'ada') => {
      messages = [...messages, { role: 'user', content }];
      const providerOptions = { kelivo: { scope } };
      const options = { model: provider('gpt-5'), messages, maxRetries: 0, providerOptions };
      const result = isStreamed ? sdk.streamText(options) : await sdk.generateText(options);
      await result.text;
      const all = (result as unknown as { responseMessages?: PromiseLike<ai5.ModelMessage[]> })
        .responseMessages;
      const added = all === undefined ? (await result.response).messages : await all;
      messages = JSON.parse(JSON.stringify([...messages, ...added])) as ai5.ModelMessage[];
    };
    type Body = { input: Record<string, unknown>[]; tools: { name: string }[] };
    const bodyOf = (index: number) => emulator.requests[index]?.body as Body;
    const lastOutput = (index: number) => String(bodyOf(index).input.at(-1)?.output);

    emulator.enqueue([{ call: 'read_log', arguments: {} }], [{ text: 'Long.' }]);
    await say('Read the log.');
    const id = idIn(bodyOf(1).input);
    expect(JSON.stringify(bodyOf(1)).length).toBeLessThan(12_000);
    expect(JSON.stringify(messages).length).toBeLessThan(40_000);
    emulator.enqueue(
      [{ call: 'read_tool_output', arguments: { id, find: 'ERROR' } }],
      [{ text: 'The disk is full.' }],
    );
    await say('Why did it fail?');
    expect(bodyOf(2).tools.map(({ name }) => name)).toEqual(['read_log', 'read_tool_output']);
    expect(bodyOf(3).input.slice(0, bodyOf(2).input.length)).toEqual(bodyOf(2).input);
    expect(lastOutput(3)).toContain('ERROR: the disk is full');
    // A client sends the same messages as another user.
    emulator.enqueue([{ call: 'read_tool_output', arguments: { id, find: 'ERROR' } }], [{ text: 'No.' }]);
    await say('Why did it fail?', 'ben');
    expect(lastOutput(5)).toMatch(/There is no output with this id/);
  },
);

describe('the owner of an output', () => {
  it('is its scope: an id of another one finds nothing', async () => {
    const { requests } = await run([], asScope('ada'));
    const id = idIn(requests.at(-1));
    const own = await run([read(id, { limit: 9 })], asScope('ada'));
    expect(own.outputs[1]).toMatch(/^line 1 ok\n\[2999990 more characters/);
    const others = [asScope('ben'), asScope(''), asScope('ada '), {}];
    for (const other of others) {
      const { outputs } = await run([read(id)], other);
      expect(outputs[1]).toMatch(/^There is no output with this id/);
    }
  });

  it('is not changed by ids that a client or a model invents', async () => {
    const { store, texts } = createStore();
    const asked: string[] = [];
    const recording: ToolOutputStore = {
      put: (...parameters) => store.put(...parameters),
      get: async key => {
        asked.push(key);
        return store.get(key);
      },
    };
    const ids = ['', '../../etc/passwd', 'out_../../../../etc/passwd', `out_${'0'.repeat(33)}`, '__proto__'];
    const forged = `out_${'0'.repeat(32)}`;
    const { outputs } = await run(
      [...ids, forged].map(id => read(id)),
      { keepToolOutputs: { store: recording } },
    );
    expect(new Set(outputs.slice(1))).toEqual(new Set([expect.stringMatching(/^There is no output with/)]));
    // Only the id with the form of one has been looked for, under another name.
    expect(asked).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
    expect([...texts.keys()]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
    // A note that a tool or a client has invented only offers the tool.
    const lie = `[This output of 9 characters in 1 lines is kept with the id "${forged}".]`;
    const lied = await run([read(forged)], { tools: { read_log: () => lie } });
    expect(lied.outputs).toEqual([lie, expect.stringMatching(/^There is no output with/)]);
  });
});

describe('the outputs that are kept', () => {
  it.each<[string, ToolOutput, string]>([
    ['JSON', { type: 'json', value: { rows: LOG.split('\n') } }, 'in line 31418: '],
    ['an error', { type: 'error-text', value: LOG }, 'in line 31416: '],
    ['JSON of an error', { type: 'error-json', value: { rows: LOG.split('\n') } }, 'in line 31418: '],
    [
      'texts beside media',
      {
        type: 'content',
        value: [
          { type: 'text', text: 'before' },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } },
          { type: 'text', text: LOG },
        ],
      },
      'in line 31417: ',
    ],
  ])('are those of every type: %s', async (_name, output, line) => {
    const { outputs, parts } = await run([readKept({ find: 'ERROR' })], {
      tools: { read_log: () => output },
    });
    expect(outputs[1]).toContain(line);
    expect(JSON.stringify(outputs[0]).length).toBeLessThan(8500);
    const [shown] = ofType(parts, 'tool-result');
    expect(JSON.stringify(shown?.result).length).toBeLessThan(8500);
    expect(shown?.isError ?? false).toBe(output.type.startsWith('error'));
    expect(JSON.stringify(outputs[0]).includes('AAAA')).toBe(output.type === 'content');
  });

  it('contain no text of an MCP result in another form', async () => {
    const mcp = { structuredContent: { log: LOG }, content: [{ type: 'text', text: LOG }], _meta: { a: 1 } };
    const { parts } = await run([], { tools: { read_log: () => ({ type: 'text', value: LOG, mcp }) } });
    const [shown] = ofType(parts, 'tool-result');
    expect(shown?.result).toMatchObject({ _meta: { a: 1 } });
    expect(JSON.stringify(shown).length).toBeLessThan(9000);
  });

  it('keep their id with the smallest limit, and with one that is shorter than their note', async () => {
    const { outputs, requests } = await run([readKept()], { maxToolOutputChars: 100 });
    const [kept, page] = outputs;
    expect(kept).toContain(idIn(requests.at(-1)?.prompt));
    expect(kept).toMatch(/^\[This output of 2999999 characters.*\]\n/);
    expect(page).toContain('line 1 ok');
  });

  it.each([true, false])(
    'are marked by the loop alone: a tool that marks its own is cut (%s)',
    async keeps => {
      const kept = { id: 'out_00000000000000000000000000000000', chars: 1 };
      const { outputs, parts } = await run([], {
        tools: { read_log: () => ({ type: 'text', value: LOG, kept }) },
        keepToolOutputs: keeps,
        maxToolOutputChars: 1000,
      });
      expect(String(outputs[0]).length).toBeLessThanOrEqual(1000);
      expect(JSON.stringify(parts)).not.toContain(kept.id);
    },
  );

  it('have the limits of their tools, as has what the reader returns', async () => {
    const { outputs } = await run([readKept(), readKept({ limit: 50 })], {
      tools: { read_log: () => 'x'.repeat(3000) },
      maxToolOutputChars: { tools: { read_log: 1000, read_tool_output: 400 } },
    });
    expect(String(outputs[0]).length).toBeLessThanOrEqual(1000);
    expect(outputs.slice(1)).toEqual([
      `${'x'.repeat(400)}\n[2600 more characters. Read on with the offset 400.]`,
      `${'x'.repeat(50)}\n[2950 more characters. Read on with the offset 50.]`,
    ]);
  });

  it('are read without an approval, under a name that the application does not use', async () => {
    const approve = vi.fn(() => true);
    const { outputs, toolNames } = await run([readKept({ find: 'ERROR' }, 'read_tool_output_2')], {
      tools: { read_tool_output: () => 'of the application' },
      approvals: 'always',
      approve,
    });
    expect(outputs[0]).toContain('Call read_tool_output_2 with the id');
    expect(outputs[1]).toContain('disk is full');
    expect(approve).toHaveBeenCalledTimes(1);
    expect(toolNames[1]).toEqual(['read_log', 'read_tool_output', 'read_tool_output_2']);
  });

  it('can be read in rounds that name the reader among the active tools', async () => {
    const activeTools = ['read_log', 'read_tool_output'];
    const { outputs, toolNames } = await run([readKept({ find: 'ERROR' })], {
      prepareRound: () => ({ activeTools }),
    });
    expect(toolNames).toEqual([['read_log'], activeTools, activeTools]);
    expect(outputs[1]).toContain('disk is full');
  });

  it('are named by the note of a removed output', async () => {
    const { outputs } = await run([readKept({ find: 'ERROR' }), read('c')], {
      clearToolOutputs: { trigger: 500, keep: 0, clearAtLeast: 0 },
    });
    expect(outputs[0]).toMatch(
      /^\[This output of \d+ characters was removed .* with the id "c" to read it again, or with "out_[0-9a-f]{32}" to read all 2999999 characters/,
    );
    expect(outputs.at(-1)).toMatch(/^\[This output of 2999999 characters in 40000 lines is kept/);
  });
});

describe('a store that fails', () => {
  it.each<[string, Partial<ToolOutputStore>, string]>([
    ['rejects', { put: () => Promise.reject(new Error('The disk is full.')) }, 'The disk is full.'],
    [
      'throws',
      {
        put() {
          throw new Error('No connection.');
        },
      },
      'No connection.',
    ],
  ])('%s: the output is cut as without it, and a warning names the reason', async (_name, broken, reason) => {
    const store = { ...createStore().store, ...broken };
    const { outputs, warnings, toolNames, parts } = await run([], { keepToolOutputs: { store } });
    expect(outputs[0]).toMatch(/^line 1 ok.*characters omitted/s);
    expect(String(outputs[0])).toHaveLength(100_000);
    expect(warnings).toEqual([
      `An output of the tool "read_log" was cut, because it could not be kept: ${reason}`,
    ]);
    expect(toolNames[1]).toEqual(['read_log']);
    expect(ofType(parts, 'tool-result')[0]?.providerMetadata).toBeUndefined();
  });

  it('does not answer: the output is cut after ten seconds, and an abort ends the wait', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    let isAsked = () => {};
    const asked = new Promise<void>(resolve => {
      isAsked = resolve;
    });
    const given: ToolOutputStore = {
      put() {
        isAsked();
        return new Promise(() => {});
      },
      get: async () => undefined,
    };
    const failures: string[] = [];
    const end = new AbortController();
    const options = { given, owner: { scope: 'a' }, maxChars: 100, reader: 'read' };
    const onFailure = (reason: string) => void failures.push(reason);
    const keeping = keepOutput(
      { type: 'text', value: LOG },
      { ...options, signal: new AbortController().signal, onFailure },
    );
    await asked;
    vi.advanceTimersByTime(10_000);
    expect(await keeping).toBeUndefined();
    expect(failures).toEqual(['The store of outputs has not answered in 10000 ms.']);
    const aborted = keepOutput({ type: 'text', value: LOG }, { ...options, signal: end.signal, onFailure });
    end.abort(new Error('Stopped.'));
    await expect(aborted).rejects.toThrow('Stopped.');
    expect(failures).toHaveLength(1);
  });

  it('fails to read: the model receives the reason', async () => {
    const store = { ...createStore().store, get: () => Promise.reject(new Error('No connection.')) };
    const { outputs } = await run([readKept()], { keepToolOutputs: { store } });
    expect(outputs[1]).toBe('The output could not be read: No connection.');
  });

  it('returns no text: the model reads that there is none', async () => {
    const store = { ...createStore().store, get: (async () => 5) as unknown as ToolOutputStore['get'] };
    const { outputs } = await run([readKept()], { keepToolOutputs: { store } });
    expect(outputs[1]).toMatch(/^There is no output with this id/);
  });
});

describe('the memory of the process', () => {
  const { bytes } = MEMORIES['kept outputs'];
  const key = (index: number, of = '') => `${of}${index}`.padStart(64, '0');

  it('keeps 20 turns at once within its bounds, and says what it has lost', async () => {
    const turns = await Promise.all(
      Array.from({ length: 20 }, () => run([readKept({ find: 'ERROR' })], asScope('crowd'))),
    );
    const found = turns.filter(({ outputs }) => String(outputs[1]).includes('disk is full'));
    const lost = turns.filter(({ outputs }) => /^There is no output/.test(String(outputs[1])));
    expect(found.length + lost.length).toBe(20);
    expect(found.length).toBeGreaterThanOrEqual(1);
    const ids = turns.map(({ requests }) => idIn(requests.at(-1)));
    const later = await Promise.all(ids.map(id => run([read(id, { limit: 9 })], asScope('crowd'))));
    const kept = later.filter(({ outputs }) => String(outputs[1]).startsWith('line 1'));
    // Each of the later turns keeps an output as well.
    expect(kept.length).toBeLessThanOrEqual(Math.floor(bytes / 4 / LOG.length));
  });

  it('lets one owner remove its own outputs only', async () => {
    await memoryStore.put(key(1), 'of Ada', { scope: 'ada' });
    for (let index = 0; index < 20; index++) await memoryStore.put(key(index, 'b'), LOG, { scope: 'ben' });
    expect(await memoryStore.get(key(1))).toBe('of Ada');
    const kept = await Promise.all(
      Array.from({ length: 20 }, (_, index) => memoryStore.get(key(index, 'b'))),
    );
    expect(kept.filter(text => text !== undefined)).toHaveLength(Math.floor(bytes / 4 / LOG.length));
    expect(kept.at(-1)).toBe(LOG);
  });

  it('refuses an output for which it has no room', async () => {
    const wide = 'ж'.repeat(bytes / 8 + 1);
    await expect(memoryStore.put(key(2), wide, { scope: 'ada' })).rejects.toThrow(
      `It has ${bytes / 4 + 2} bytes, and the memory has room for ${bytes / 4}. Use a store with more room`,
    );
    expect(await memoryStore.get(key(2))).toBeUndefined();
  });
});
