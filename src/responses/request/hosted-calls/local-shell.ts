import { fieldsOf } from '../fields.js';
import { toToolOutput } from '../to-tool-output.js';
import type { HostedCallForm } from './hosted-call-form.js';

/** `local_shell`: one command at a time, given as its words. */
export const localShell: HostedCallForm = {
  toCall({ toolCallId, input }, { itemId }) {
    const action = fieldsOf(fieldsOf(input)?.action);
    if (action === undefined || !Array.isArray(action.command)) return undefined;
    const { command, timeoutMs, user, workingDirectory, env } = action;
    return {
      type: 'local_shell_call',
      call_id: toolCallId,
      // The API asks for the id of this item.
      ...(itemId !== undefined && { id: itemId }),
      action: {
        type: 'exec',
        command: command.map(String),
        ...(typeof timeoutMs === 'number' && { timeout_ms: timeoutMs }),
        ...(typeof user === 'string' && { user }),
        ...(typeof workingDirectory === 'string' && { working_directory: workingDirectory }),
        ...(fieldsOf(env) && { env: env as Record<string, string> }),
      },
    };
  },

  toOutput(part, options) {
    const value = part.output.type === 'json' ? fieldsOf(part.output.value)?.output : undefined;
    const text = typeof value === 'string' ? value : toToolOutput(part, options);
    return {
      type: 'local_shell_call_output',
      call_id: part.toolCallId,
      output: typeof text === 'string' ? text : JSON.stringify(text),
    };
  },
};
