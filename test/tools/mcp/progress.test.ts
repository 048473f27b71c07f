import { expect, it } from 'vitest';
import type { ToolProgress } from '../../../src/tools/tool-source.js';
import { fixtureServer, openTools } from './_fixture-server.js';

it('hands on the progress that a server reports', async () => {
  const { config } = await fixtureServer();
  const reports: ToolProgress[] = [];
  const output = await openTools({ fixture: config }).callTool(
    { toolCallId: 'c1', toolName: 'progress', input: { steps: 3, pause: 5 } },
    { signal: new AbortController().signal, onProgress: progress => reports.push(progress) },
  );
  expect(output).toEqual({ type: 'text', value: '3 steps' });
  expect(reports.map(({ progress }) => progress)).toEqual([1, 2, 3]);
});
