import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { createMcpTools } from '../../src/tools/mcp/index.js';
import type { ToolSource } from '../../src/tools/tool-source.js';
import { type ResponsesEmulator, startResponsesEmulator } from '../../src/testing/index.js';
import { inputOf } from '../integration/_provider.js';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';

globalThis.AI_SDK_LOG_WARNINGS = false;

/** A question that needs a tool of the MCP server. */
export const question = 'Use get-sum with 2 and 3';

interface Result {
  readonly text: string;
  readonly finishReason: string;
  readonly usage: { readonly inputTokens?: number; readonly outputTokens?: number };
}

/** Starts an emulator and the reference MCP server, as a child process, for all tests of a file. */
export function useMcpQuestion() {
  let emulator: ResponsesEmulator;
  let mcpServers: ToolSource;
  let before = 0;
  beforeAll(async () => {
    emulator = await startResponsesEmulator();
    mcpServers = createMcpTools({ everything: everythingOverStdio() });
  });
  beforeEach(() => {
    before = emulator.requests.length;
  });
  afterAll(async () => {
    await mcpServers.close();
    await emulator.close();
  });
  return {
    /** Provider options of a host. */
    options: () => ({ baseURL: emulator.baseURL, apiKey: 'sk-test', mcpServers }),
    get requests() {
      return emulator.requests.slice(before);
    },
    /** Fails unless the tool ran between two rounds and the response is complete. */
    expectCompleted({ text, finishReason, usage }: Result): void {
      expect(text).toBe('The tool get-sum returned: The sum of 2 and 3 is 5.');
      expect(finishReason).toBe('stop');
      expect(usage.inputTokens).toBeGreaterThan(0);
      expect(usage.outputTokens).toBeGreaterThan(0);
      const rounds = emulator.requests.slice(before);
      expect(rounds).toHaveLength(2);
      expect(inputOf(rounds[1]).at(-1)).toMatchObject({
        type: 'function_call_output',
        output: 'The sum of 2 and 3 is 5.',
      });
    },
  };
}

/** Reads the fields of a finished stream that a host displays. */
export async function readResult(result: {
  readonly text: string | PromiseLike<string>;
  readonly finishReason: string | PromiseLike<string>;
  readonly totalUsage: Result['usage'] | PromiseLike<Result['usage']>;
}): Promise<Result> {
  const [text, finishReason, usage] = await Promise.all([
    result.text,
    result.finishReason,
    result.totalUsage,
  ]);
  return { text, finishReason, usage };
}
