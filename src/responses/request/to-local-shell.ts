import type { LanguageModelV2ToolCallPart, LanguageModelV2ToolResultPart } from '@ai-sdk/provider';
import type { LocalShellCall, LocalShellCallOutput } from './request-body.js';
import { toToolOutput } from './to-tool-output.js';

type Fields = Readonly<Record<string, unknown>>;

/** A call of OpenAI's `local_shell`; `undefined` when its input is none. */
export function toLocalShellCall(
  { toolCallId, input }: LanguageModelV2ToolCallPart,
  itemId: string | undefined,
): LocalShellCall | undefined {
  const action = isFields(input) && isFields(input.action) ? input.action : undefined;
  const command = action?.command;
  if (action === undefined || !Array.isArray(command)) return undefined;
  return {
    type: 'local_shell_call',
    call_id: toolCallId,
    // The API asks for the id of this item.
    ...(itemId !== undefined && { id: itemId }),
    action: {
      type: 'exec',
      command: command.map(String),
      ...(typeof action.timeoutMs === 'number' && { timeout_ms: action.timeoutMs }),
      ...(typeof action.user === 'string' && { user: action.user }),
      ...(typeof action.workingDirectory === 'string' && { working_directory: action.workingDirectory }),
      ...(isFields(action.env) && { env: action.env as Record<string, string> }),
    },
  };
}

export function toLocalShellOutput(
  part: LanguageModelV2ToolResultPart,
  options: { warn: (message: string) => void },
): LocalShellCallOutput {
  const value =
    part.output.type === 'json' && isFields(part.output.value) ? part.output.value.output : undefined;
  const text = typeof value === 'string' ? value : toToolOutput(part, options);
  return {
    type: 'local_shell_call_output',
    call_id: part.toolCallId,
    output: typeof text === 'string' ? text : JSON.stringify(text),
  };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
