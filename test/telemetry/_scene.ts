import { trace } from '@opentelemetry/api';
import * as z from 'zod';
import { type ToolLoopOptions, withToolLoop } from '../../src/tool-loop/index.js';
import { createLocalTools } from '../../src/tools/local-tools.js';
import { createTelemetry, type TelemetryOptions } from '../../src/telemetry/index.js';
import { call, finish, scriptedModel, start, text } from '../tool-loop/_scripted-model.js';

/** A model with a round of two calls and a round of text, whose first tool makes a span of the application. */
export function createScene({
  telemetry,
  ...options
}: Omit<Partial<ToolLoopOptions>, 'telemetry'> & { telemetry?: TelemetryOptions } = {}) {
  const inner = scriptedModel(
    [
      start,
      { type: 'response-metadata', id: 'resp_1', modelId: 'scripted-1-large' },
      ...call('c1', 'search', { query: 'canary-argument' }),
      ...call('c2', 'fail'),
      finish('tool-calls', {
        inputTokens: 100,
        outputTokens: 10,
        totalTokens: 110,
        cachedInputTokens: 60,
        reasoningTokens: 4,
      }),
    ],
    [
      start,
      ...text('canary-answer'),
      finish('stop', { inputTokens: 200, outputTokens: 20, totalTokens: 220 }),
    ],
  );
  const tools = createLocalTools({
    search: {
      description: 'Searches.',
      inputSchema: z.looseObject({}),
      async execute() {
        const span = trace.getTracer('application').startSpan('database');
        await new Promise(resolve => setImmediate(resolve));
        span.end();
        return 'canary-result';
      },
    },
    fail: {
      description: 'Fails.',
      inputSchema: z.looseObject({}),
      execute: () => Promise.reject(new Error('canary-failure')),
    },
  });
  const model = withToolLoop(inner, { tools, telemetry: createTelemetry(telemetry), ...options });
  return { inner, model };
}

/** The spans of a turn of the scene, without those of its host. */
export const TURN = [
  'chat scripted-1 (round 1)',
  'execute_tool search',
  '  database',
  'execute_tool fail',
  'chat scripted-1 (round 2)',
];
