import * as z from 'zod/v4';
import { objectOf } from '../../core/shared/json.js';
import { hostedCallNames } from '../../core/tool-calls/hosted-tools.js';
import {
  type HostedTool,
  presentFields,
  toCallId,
  toOutputObject,
  toStatus,
  defineHostedTool,
} from './hosted-tool.js';

export interface LocalShellInput {
  action: {
    type: 'exec';
    /** The program and its arguments. */
    command: string[];
    timeoutMs?: number;
    user?: string;
    workingDirectory?: string;
    env?: Record<string, string>;
  };
}

export interface LocalShellOutput {
  output: string;
}

/** Runs one command at a time on the host, for `codex-mini-latest` and `gpt-5-codex`. */
export const localShell = defineHostedTool<LocalShellInput, LocalShellOutput>()({
  id: 'openai.local_shell',
  name: 'local_shell',
  isProviderExecuted: false,
  toSchemas: () => ({
    inputSchema: z.object({
      action: z.object({
        type: z.literal('exec'),
        command: z.array(z.string()),
        timeoutMs: z.number().optional(),
        user: z.string().optional(),
        workingDirectory: z.string().optional(),
        env: z.record(z.string(), z.string()).optional(),
      }),
    }),
    outputSchema: z.object({ output: z.string() }),
  }),
});

export const localShellTool: HostedTool = {
  declarations: { 'openai.local_shell': { type: 'local_shell' } },
  items: {
    local_shell_call: {
      toolName: 'local_shell',
      callId: toCallId,
      input(item) {
        const {
          command,
          timeout_ms: timeoutMs,
          user,
          working_directory: workingDirectory,
          env,
        } = objectOf(item.action) ?? {};
        return {
          action: { type: 'exec', ...presentFields({ command, timeoutMs, user, workingDirectory, env }) },
        };
      },
      isForHost: () => true,
      result: toStatus,
    },
  },
  replay: {
    toCall(part, context) {
      const action = objectOf(objectOf(part.input)?.action);
      if (action === undefined || !Array.isArray(action.command)) return undefined;
      const { command, timeoutMs, user, workingDirectory } = action;
      const env = objectOf(action.env);
      return {
        type: 'local_shell_call',
        call_id: part.toolCallId,
        // The API requires the id of this item.
        ...(context.itemId !== undefined && { id: context.itemId }),
        action: {
          type: 'exec',
          command: command.map(String),
          ...(typeof timeoutMs === 'number' && { timeout_ms: timeoutMs }),
          ...(typeof user === 'string' && { user }),
          ...(typeof workingDirectory === 'string' && { working_directory: workingDirectory }),
          ...(env !== undefined && { env }),
        },
      };
    },

    toOutput(part, toContent) {
      const text = toOutputObject(part)?.output;
      const output = typeof text === 'string' ? text : toContent(part);
      return {
        type: 'local_shell_call_output',
        call_id: part.toolCallId,
        output: typeof output === 'string' ? output : JSON.stringify(output),
      };
    },
  },
  history: hostedCallNames.localShell,
};
