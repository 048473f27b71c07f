import type { LanguageModelV2FinishReason } from '@ai-sdk/provider';
import * as ai5 from 'ai';
import * as ai6 from 'ai6';
import * as ai7 from 'ai7';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { adaptModel } from '../../../src/adapters/index.js';
import { parseToolArguments } from '../../../src/core/tool-calls/index.js';
import { everyNth } from '../../_products.js';
import { readAs } from '../_read-as.js';
import { finish, scriptedModel, start } from '../../tool-loop/_scripted-model.js';

const properties = { body: { type: 'string' }, path: { type: 'string' } } as const;
const schema = { type: 'object', properties } as const;
const long = 'line of a "file" \\ with <tags> and {braces}\n'.repeat(8);

interface Row {
  readonly modelId: string;
  /** The end of the reasoning that a response of the model starts in. */
  readonly lead?: string;
  /** Returns a call without the marker that ends it. */
  toText(body: string): string;
  readonly end: string;
  /** True if the syntax of the arguments shows that the call is complete. */
  readonly isClosed: boolean;
}

const rows: readonly Row[] = [
  {
    modelId: 'Qwen/Qwen2.5-72B-Instruct',
    toText: body => `<tool_call>\n${JSON.stringify({ name: 'save', arguments: { body, path: 'a' } })}`,
    end: '\n</tool_call>',
    isClosed: true,
  },
  {
    modelId: 'mistral-small-latest',
    toText: body => `[TOOL_CALLS]save[ARGS]${JSON.stringify({ body, path: 'a' })}`,
    end: '',
    isClosed: true,
  },
  {
    modelId: 'google/gemma-4-27b-it',
    toText: body => `<|tool_call>call:save{body:<|"|>${body}<|"|>,path:<|"|>a<|"|>}`,
    end: '<tool_call|>',
    isClosed: true,
  },
  {
    modelId: 'LiquidAI/LFM2-8B',
    toText: body => `<|tool_call_start|>[save(body=${JSON.stringify(body)}, path='a')`,
    end: ']<|tool_call_end|>',
    isClosed: true,
  },
  {
    modelId: 'qwen3-coder-plus',
    toText: body =>
      `<tool_call>\n<function=save>\n<parameter=body>\n${body}\n</parameter>\n<parameter=path>\na\n</parameter>\n`,
    end: '</function>\n</tool_call>',
    isClosed: false,
  },
  {
    modelId: 'zai-org/GLM-4.6',
    toText: body =>
      `<tool_call>save\n<arg_key>body</arg_key>\n<arg_value>${body}</arg_value>\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n`,
    end: '</tool_call>',
    isClosed: false,
  },
  {
    modelId: 'MiniMaxAI/MiniMax-M2',
    lead: '</think>',
    toText: body =>
      `<minimax:tool_call>\n<invoke name="save">\n<parameter name="body">${body}</parameter>\n<parameter name="path">a</parameter>\n`,
    end: '</invoke>\n</minimax:tool_call>',
    isClosed: false,
  },
  {
    modelId: 'deepseek-ai/DeepSeek-V3.2',
    toText: body =>
      `<｜DSML｜function_calls>\n<｜DSML｜invoke name="save">\n<｜DSML｜parameter name="body" string="true">${body}</｜DSML｜parameter>\n<｜DSML｜parameter name="path" string="true">a</｜DSML｜parameter>\n`,
    end: '</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    isClosed: false,
  },
  {
    modelId: 'tencent/Hy3',
    toText: body =>
      `<tool_calls>\n<tool_call>save<tool_sep>\n<arg_key>body</arg_key>\n<arg_value>${body}</arg_value>\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n`,
    end: '</tool_call>\n</tool_calls>',
    isClosed: false,
  },
  {
    modelId: 'MiniMaxAI/MiniMax-M3',
    toText: body =>
      `]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="save">]<]minimax[>[<body>${body}]<]minimax[>[</body>]<]minimax[>[<path>a]<]minimax[>[</path>`,
    end: ']<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>',
    isClosed: false,
  },
  {
    modelId: 'moonshotai/Kimi-K3',
    lead: '<|close|>think<|sep|>',
    toText: body =>
      `<|open|>tools<|sep|><|open|>call tool="save" index="1"<|sep|><|open|>argument key="body" type="string"<|sep|>${body}<|close|>argument<|sep|><|open|>argument key="path" type="string"<|sep|>a<|close|>argument<|sep|>`,
    end: '<|close|>call<|sep|><|close|>tools<|sep|>',
    isClosed: false,
  },
  {
    modelId: 'openbmb/MiniCPM5-8B',
    toText: body =>
      `<function name="save"><param name="body"><![CDATA[${body}]]></param><param name="path">a</param>`,
    end: '</function>',
    isClosed: false,
  },
];

describe.each(rows)('$modelId', ({ modelId, lead = '', toText, end, isClosed }) => {
  const read = (text: string, finishReason?: LanguageModelV2FinishReason) =>
    readAs(modelId, { save: properties }, { finishReason, chunkings: 'few' })(lead + text);

  it('shows no markup of a short call that a truncated response cuts off, and all of it otherwise', async () => {
    const text = toText('abc');
    const valueStart = text.indexOf('abc');
    for (let length = 1; length <= valueStart + 3; length += 4) {
      const cut = text.slice(0, length);
      // A token without a tag is dropped.
      if (cut.endsWith(']<]minimax[>[')) continue;
      // Before the name of a tool, the text may be any.
      if (length >= valueStart || !cut.includes('save')) {
        expect(await read(cut, 'length')).toEqual(length >= valueStart ? [] : [{ text: cut }]);
      }
      expect(await read(cut, 'stop')).toEqual([{ text: cut }]);
    }
  });

  it('ends a long call with an input that cannot run, wherever it is truncated', async () => {
    const text = toText(long);
    const valueEnd = text.lastIndexOf('braces');
    const positions: number[] = [];
    for (let at = 400; at < text.length; at += at < valueEnd ? 53 : 3) positions.push(at);
    for (const at of everyNth(positions, 3)) {
      const reason = at % 2 === 0 ? 'stop' : 'length';
      const [part, ...others] = await read(text.slice(0, at), reason);
      expect(others).toEqual([]);
      if (part !== undefined && 'input' in part)
        expect(part.input).toMatchObject(reason === 'stop' ? { body: long } : { body: long, path: 'a' });
      else if (part === undefined || !('truncated' in part)) throw new Error(`Got ${JSON.stringify(part)}.`);
      else expect(parseToolArguments(part.truncated, { schema }).success).toBe(false);
    }
  });

  it.each([
    { size: 'short', body: 'abc' },
    { size: 'long', body: long },
  ])('is a $size call without its end only if the response ends normally', async ({ body }) => {
    const expected = [{ call: 'save', input: { body, path: 'a' } }];
    expect(await read(toText(body) + end, 'length')).toEqual(expected);
    for (const reason of ['stop', 'tool-calls'] as const)
      expect(await read(toText(body), reason)).toEqual(expected);
    for (const reason of ['length', 'unknown', 'error', 'content-filter'] as const) {
      const isShown = reason === 'unknown';
      const short = isShown ? [{ text: toText(body) }] : [];
      const broken = body === long ? [{ call: 'save', truncated: expect.any(String) }] : short;
      expect(await read(toText(body), reason)).toEqual(isClosed ? expected : broken);
    }
  });
});

describe.each([
  { version: 5, ai: ai5 },
  { version: 6, ai: ai6 as unknown as typeof ai5 },
  { version: 7, ai: ai7 as unknown as typeof ai5 },
])('streamText of ai $version', ({ ai }) => {
  it.each(['length', 'stop'] as const)('reports a long truncated call as invalid after %s', async reason => {
    const deltas =
      rows[0]
        ?.toText(long)
        .slice(0, 370)
        .match(/.{1,20}/gs) ?? [];
    const model = scriptedModel([
      start,
      { type: 'text-start', id: 't' },
      ...deltas.map(delta => ({ type: 'text-delta', id: 't', delta }) as const),
      { type: 'text-end', id: 't' },
      finish(reason),
    ]);
    let calls = 0;
    const { streamText, readUIMessageStream, tool } = ai;
    const result = streamText({
      model: adaptModel({ ...model, modelId: 'Qwen/Qwen2.5-72B-Instruct' }),
      prompt: 'Go.',
      tools: {
        save: tool({
          inputSchema: z.object({ body: z.string(), path: z.string().optional() }),
          execute: () => ++calls,
        }),
      },
    });
    let message: ai5.UIMessage | undefined;
    for await (message of readUIMessageStream({ stream: result.toUIMessageStream() }));
    const [, part] = message?.parts ?? [];
    expect(part).toMatchObject({ type: 'tool-save', state: 'output-error' });
    expect(message?.parts).toHaveLength(2);
    expect(calls).toBe(0);
  });
});
