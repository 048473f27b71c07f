import { execFile } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { installPackages } from '../../_install-packages.js';
import { findNode } from '../../nodes/nodes.js';

const folder = fileURLToPath(new URL('.', import.meta.url));
const dist = fileURLToPath(new URL('../../../dist', import.meta.url));
const execute = promisify(execFile);

const { program: node = '', ...node22 } = await findNode('22');
const missing = node22.missing ?? (await installPackages('test/telemetry/ai7'));
if (missing !== undefined) console.warn(`The telemetry of ai 7 is not tested: ${missing}`);

interface Report {
  readonly tree: readonly string[];
  /** Tokens of all model calls, of the outer ones, and of the host's result. */
  readonly sums: readonly number[];
  /** Number and sum in seconds of the durations of requests, by metric. */
  readonly inferences: Readonly<Record<string, { readonly count: number; readonly sum: number }>>;
  /** Number of spans that last as long as the tool. */
  readonly tools: number;
  readonly isOneCall: boolean;
  readonly endsAfterWork: boolean;
  readonly hasEnded: boolean;
}

const TURN = [
  'chat gpt-5 [kelivo-responses]',
  'execute_tool get_weather [kelivo-responses]',
  '  database [application]',
  'chat gpt-5 [kelivo-responses]',
];
const indented = (depth: number): string[] => TURN.map(line => '  '.repeat(depth) + line);

describe.skipIf(missing !== undefined)('telemetry of ai 7', () => {
  it.each([
    [
      'otel',
      'generate',
      [
        'invoke_agent gpt-5 [gen_ai]',
        '  step 1 [gen_ai]',
        '    chat gpt-5 [gen_ai]',
        ...indented(3),
        // The host makes it up at the end of the model call.
        '      execute_tool get_weather [gen_ai]',
      ],
    ],
    [
      'otel',
      'stream',
      [
        'invoke_agent gpt-5 [gen_ai]',
        '  step 1 [gen_ai]',
        '    chat gpt-5 [gen_ai]',
        ...indented(3),
        '      execute_tool get_weather [gen_ai]',
      ],
    ],
    ['legacy', 'stream', ['ai.streamText [ai]', '  ai.streamText.doStream [ai]', ...indented(2)]],
  ])('(%s, %s) contains the rounds and the tools, and counts tokens once', async (name, mode, tree) => {
    const { stdout } = await execute(node, [path.join(folder, 'spans.mjs'), dist, name, mode]);
    const report: Report = JSON.parse(stdout);
    expect(report.tree).toEqual(tree);
    const [all, outer, usage] = report.sums;
    expect(usage).toBeGreaterThan(0);
    expect([all, outer]).toEqual([usage, usage]);
    // Backends join the span of the host with that of the tool by the id of the call.
    expect(report).toMatchObject({ isOneCall: true, endsAfterWork: true, hasEnded: true });
  });

  const OF_HOST = 'gen_ai.client.inference.duration';
  const OF_ROUNDS = 'kelivo.client.inference.duration';
  /** The tool takes 1.5 seconds, and a request much less. */
  const TOOL = 1.5;

  it.each([
    // Only this package observes. A tool that the host runs has no span without its telemetry.
    ['none', 'continuous', 1, { [OF_HOST]: { count: 2, hasTool: false } }],
    ['none', 'host', 0, { [OF_HOST]: { count: 2, hasTool: false } }],
    ['none', 'provider', 1, { [OF_HOST]: { count: 2, hasTool: false } }],
    // The host sees one model call, which contains the tool. The true durations have a name of their own.
    [
      'otel',
      'continuous',
      1,
      { [OF_HOST]: { count: 1, hasTool: true }, [OF_ROUNDS]: { count: 2, hasTool: false } },
    ],
    // The host sees the rounds.
    [
      'otel',
      'host',
      1,
      { [OF_HOST]: { count: 2, hasTool: false }, [OF_ROUNDS]: { count: 2, hasTool: false } },
    ],
    // A step ends when the calls of its round have run.
    [
      'otel',
      'provider',
      1,
      { [OF_HOST]: { count: 2, hasTool: true }, [OF_ROUNDS]: { count: 2, hasTool: false } },
    ],
    // The older integration has no metrics.
    ['legacy', 'continuous', 1, { [OF_HOST]: { count: 2, hasTool: false } }],
  ])(
    '(%s, %s) records the duration of each request and each run of a tool once',
    async (name, form, runs, expected) => {
      const { stdout } = await execute(node, [path.join(folder, 'spans.mjs'), dist, name, 'generate', form]);
      const { inferences, tools, sums }: Report = JSON.parse(stdout);
      const found = Object.entries(inferences).map(([metric, { count, sum }]) => [
        metric,
        { count, hasTool: sum > TOOL },
      ]);
      expect(Object.fromEntries(found)).toEqual(expected);
      expect(tools).toBe(runs);
      const [, outer, usage] = sums;
      expect(outer).toBe(usage);
    },
  );
});
