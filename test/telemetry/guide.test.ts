import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateText } from 'ai6';
import { describe, expect, it } from 'vitest';
import { METRICS } from '../../src/telemetry/metrics.js';
import { idOf, toTree, useRecorder } from './_recorder.js';
import { createScene } from './_scene.js';

globalThis.AI_SDK_LOG_WARNINGS = false;

const README = fileURLToPath(new URL('../../src/telemetry/README.md', import.meta.url));
const BLOCK = /(<!-- trace: .* -->\n\n```text\n)[\s\S]*?(```\n\n<!-- trace end -->)/;
const SHOWN = ['gen_ai.tool.call.id', 'kelivo.usage.input_tokens', 'ai.usage.promptTokens', 'error.type'];

const recorder = useRecorder();

it('shows the trace of a turn in the guide', async () => {
  const { model } = createScene();
  await generateText({
    model: model as never,
    prompt: 'Go.',
    experimental_telemetry: { isEnabled: true, recordInputs: false, recordOutputs: false },
  });
  const lines = toTree(recorder.spans, undefined, '', ({ name, attributes }) =>
    [
      name,
      ...SHOWN.filter(key => attributes[key] !== undefined).map(key => `${key}=${String(attributes[key])}`),
    ].join('  '),
  );
  expect(new Set(recorder.spans.map(idOf)).size).toBe(lines.length);
  const before = readFileSync(README, 'utf8');
  const after = before.replace(
    BLOCK,
    (_, start: string, end: string) => `${start}${lines.join('\n')}\n${end}`,
  );
  if (process.env.UPDATE_TRACE === '1') writeFileSync(README, after);
  expect(readFileSync(README, 'utf8')).toBe(after);
});

describe('the metrics', () => {
  const row = /^\| `([\w.]+)` \| `([^`]+)` \| (.+) \|$/gm;
  const [, section = ''] = readFileSync(README, 'utf8').split('\n## Metrics\n');

  it('are those of the guide', () => {
    const documented = [...section.matchAll(row)].map(([, name, unit, description]) => ({
      name,
      unit,
      description,
    }));
    expect(documented).toEqual(Object.values(METRICS));
  });

  it.each(Object.keys(METRICS))('include %s, which is recorded', metric => {
    const folder = fileURLToPath(new URL('../../src/telemetry', import.meta.url));
    const others = readdirSync(folder).filter(file => file.endsWith('.ts') && file !== 'metrics.ts');
    expect(
      others.filter(file => readFileSync(path.join(folder, file), 'utf8').includes(`'${metric}'`)),
    ).not.toEqual([]);
  });
});
