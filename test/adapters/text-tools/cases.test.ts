import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { hermesToolMiddleware } from '@ai-sdk-tool/parser';
import type { LanguageModelV2Middleware } from '@ai-sdk/provider';
import { expect, it } from 'vitest';
import { modelAdapters } from '../../../src/adapters/model-adapters.js';
import { joinMiddlewares } from '../../../src/adapters/kit/middleware.js';
import { wrapModel } from '../../_core.js';
import { generate, finish, scriptedModel, start } from '../../tool-loop/_scripted-model.js';
import { type ReadPart, readText } from './_read-text.js';

interface Case {
  readonly id: string;
  readonly family: string;
  readonly tools: { name: string; parameters: { properties?: Record<string, unknown> } }[];
  readonly input: string;
  readonly expected: { text: string; toolCalls: { name: string; arguments: unknown }[] };
  readonly textMatch: 'exact' | 'trimmed' | 'contains' | 'contains-all' | 'ignore';
  readonly reasoning?: string;
  readonly tier: string;
}

/** The id of a model of each family, as servers report it. */
const modelOfFamily: Readonly<Record<string, string>> = {
  qwen3coder: 'qwen3-coder-plus',
  hermes: 'Qwen/Qwen2.5-72B-Instruct',
  mistral: 'mistral-small-latest',
  'seed-oss': 'ByteDance-Seed/Seed-OSS-36B-Instruct',
  'claude-xml': 'claude-3-haiku',
  'gemma-tool-request': 'gemma-3-27b-it',
};

const textMatches: Readonly<Record<Case['textMatch'], (text: string, expected: string) => boolean>> = {
  exact: (text, expected) => text === expected,
  trimmed: (text, expected) => text.trim() === expected.trim(),
  contains: (text, expected) => text.includes(expected),
  'contains-all': (text, expected) => expected.split('|').every(part => text.includes(part)),
  ignore: () => true,
};

const folder = process.env.TEXT_TOOL_CASES;

if (folder === undefined) {
  it.skip('reads the calls of the cases in the folder TEXT_TOOL_CASES', () => {});
} else {
  const cases = readdirSync(folder)
    .filter(name => name.endsWith('.json'))
    .flatMap((name): Case[] => JSON.parse(readFileSync(join(folder, name), 'utf8')));

  /** The required share of each tier. Damaged calls may be read or stay text. */
  const shares: Readonly<Record<string, number>> = { core: 1, hard: 0.8, derived: 0, salvage: 0 };
  const tiers = [...new Set([...Object.keys(shares), ...cases.map(({ tier }) => tier)])];

  it.each(tiers)('reads the calls of the cases of tier %s', async tier => {
    const selected = cases.filter(one => one.tier === tier);
    const failures: string[] = [];
    for (const one of selected) {
      await expectCase(one).catch((error: unknown) => failures.push(`${one.id}: ${String(error)}`));
    }
    const read = selected.length - failures.length;
    console.log(`${tier}: ${read} of ${selected.length} cases read`, ...failures);
    expect(failures.slice(0, 5), `${failures.length} of ${selected.length} cases failed`).toEqual(
      read >= selected.length * (shares[tier] ?? 1) ? failures.slice(0, 5) : [],
    );
  });

  it('reads more generated calls in Hermes format than `@ai-sdk-tool/parser`', async () => {
    const hermes = cases.filter(({ family, tier }) => family === 'hermes' && ['core', 'hard'].includes(tier));
    const adapters = modelAdapters.findFor(modelOfFamily.hermes ?? '');
    const ours = joinMiddlewares(...adapters.map(({ middleware }) => middleware));
    const count = async (middleware: LanguageModelV2Middleware) => {
      const results = await Promise.all(hermes.map(one => isRead(one, middleware).catch(() => false)));
      return results.filter(Boolean).length;
    };
    // Of version 3, which has the same parts as version 2.
    const peer = hermesToolMiddleware as unknown as LanguageModelV2Middleware;
    const [read, readByPeer] = [await count(ours), await count(peer)];
    console.log(`Hermes: ${read} of ${hermes.length} cases read, ${readByPeer} by \`@ai-sdk-tool/parser\``);
    expect(read).toBeGreaterThan(readByPeer);
  });
}

/** Returns whether the generated calls and the text are those of the case, whatever the finish reason. */
async function isRead(one: Case, middleware: LanguageModelV2Middleware): Promise<boolean> {
  const response = [
    start,
    { type: 'text-start', id: 't' } as const,
    { type: 'text-delta', id: 't', delta: one.input } as const,
    { type: 'text-end', id: 't' } as const,
    finish(),
  ];
  const { content } = await generate(wrapModel(scriptedModel(response), [middleware]), {
    tools: one.tools.map(({ name, parameters }) => ({
      type: 'function' as const,
      name,
      inputSchema: { type: 'object', ...parameters } as object,
    })),
  });
  const text = content.map(part => (part.type === 'text' ? part.text : '')).join('');
  const calls = content.flatMap(part =>
    part.type === 'tool-call' ? [{ name: part.toolName, arguments: JSON.parse(part.input) as unknown }] : [],
  );
  return (
    isDeepStrictEqual(calls, one.expected.toolCalls) && textMatches[one.textMatch](text, one.expected.text)
  );
}

async function expectCase({ family, tools, input, expected, textMatch, reasoning }: Case): Promise<void> {
  const adapters = modelAdapters.findFor(modelOfFamily[family] ?? family);
  const { content, finishReason } = await readText(input, {
    middleware: joinMiddlewares(...adapters.map(({ middleware }) => middleware)),
    tools: Object.fromEntries(tools.map(({ name, parameters }) => [name, parameters.properties ?? {}])),
  });
  const joined = (pick: (one: ReadPart) => string) => content.map(pick).join('');
  const text = joined(one => ('text' in one ? one.text : ''));

  const calls = content.flatMap(one => ('input' in one ? [{ name: one.call, arguments: one.input }] : []));
  expect(calls).toEqual(expected.toolCalls);
  expect({ text, matches: textMatches[textMatch](text, expected.text) }).toEqual({ text, matches: true });
  if (reasoning !== undefined) {
    expect(joined(one => ('reasoning' in one ? one.reasoning : '')).trim()).toBe(reasoning.trim());
  }
  expect(finishReason === 'tool-calls').toBe(expected.toolCalls.length > 0);
}
