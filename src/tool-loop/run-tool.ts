import { untilAborted } from '../abort/until-aborted.js';
import type { ToolInvocation, ToolOutput, ToolProgress, ToolSource } from '../tools/tool-source.js';
import { createTimeLimit } from './time-limit.js';

export interface RunToolOptions {
  readonly source: ToolSource;
  readonly signal: AbortSignal;
  /** How long the tool may take without a word of progress, in milliseconds. */
  readonly timeout: number | undefined;
  readonly onProgress: (progress: ToolProgress) => void;
}

/**
 * Runs a tool. Whatever goes wrong is an output that the model can read; only an abort rejects, at once and whether or
 * not the tool listens to its signal.
 */
export async function runTool(
  call: ToolInvocation,
  { source, signal, timeout, onProgress }: RunToolOptions,
): Promise<ToolOutput> {
  signal.throwIfAborted();
  const message = `The tool "${call.toolName}" exceeded its limit of ${timeout} ms.`;
  const limit = createTimeLimit(signal, { milliseconds: timeout, message });
  let isDone = false;
  try {
    const running = source.callTool(call, {
      signal: limit.signal,
      onProgress(progress) {
        // A tool may report on after it was given up.
        if (isDone || limit.signal.aborted) return;
        limit.restart();
        onProgress(progress);
      },
    });
    return await untilAborted(running, limit.signal);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (limit.isOver) return { type: 'error-text', value: message };
    return { type: 'error-text', value: error instanceof Error ? error.message : String(error) };
  } finally {
    isDone = true;
    limit.release();
  }
}
