import { linkSignal } from '../abort/link-signal.js';
import { untilAborted } from '../abort/until-aborted.js';
import type { ToolOutput, ToolSource } from '../tools/tool-source.js';
import type { OwnedCall } from './owned-call.js';
import { parseInput } from './parse-input.js';

/**
 * Runs one call. Whatever goes wrong with it is an output that the model can read; only an abort rejects, at once and
 * whether or not the tool listens to its signal.
 */
export async function executeCall(
  { toolCallId, toolName, input }: OwnedCall,
  { source, signal, timeout }: { source: ToolSource; signal: AbortSignal; timeout: number | undefined },
): Promise<ToolOutput> {
  signal.throwIfAborted();
  const parsed = parseInput(input, toolName);
  if (!parsed.success) return { type: 'error-text', value: parsed.message };

  const tool = linkSignal(signal);
  let isTimedOut = false;
  const timer =
    timeout === undefined
      ? undefined
      : setTimeout(() => {
          isTimedOut = true;
          tool.abort(new DOMException(`The tool "${toolName}" took too long.`, 'TimeoutError'));
        }, timeout);
  try {
    const call = { toolCallId, toolName, input: parsed.input };
    return await untilAborted(source.callTool(call, { signal: tool.signal }), tool.signal);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (isTimedOut)
      return { type: 'error-text', value: `The tool "${toolName}" exceeded its limit of ${timeout} ms.` };
    return { type: 'error-text', value: error instanceof Error ? error.message : String(error) };
  } finally {
    clearTimeout(timer);
    tool.release();
  }
}
