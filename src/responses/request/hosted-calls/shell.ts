import { type Fields, fieldsOf } from '../fields.js';
import type { ShellCallOutput } from '../hosted-items.js';
import type { HostedCallForm } from './hosted-call-form.js';
import { toPlainOutput } from './to-plain-output.js';

/** `shell`: several command lines at once, each with an output of its own. */
export const shell: HostedCallForm = {
  toCall({ toolCallId, input }, { takeId }) {
    const action = fieldsOf(fieldsOf(input)?.action);
    if (action === undefined || !Array.isArray(action.commands)) return undefined;
    const { commands, timeoutMs, maxOutputLength } = action;
    return {
      type: 'shell_call',
      call_id: toolCallId,
      ...takeId(),
      status: 'completed',
      action: {
        commands: commands.map(String),
        ...(typeof timeoutMs === 'number' && { timeout_ms: timeoutMs }),
        ...(typeof maxOutputLength === 'number' && { max_output_length: maxOutputLength }),
      },
    };
  },

  toOutput(part, options) {
    const outputs = part.output.type === 'json' ? fieldsOf(part.output.value)?.output : undefined;
    return {
      type: 'shell_call_output',
      call_id: part.toolCallId,
      output: Array.isArray(outputs)
        ? outputs.map(output => toCommandOutput(fieldsOf(output) ?? {}))
        : [toOnlyOutput(toPlainOutput(part, options))],
    };
  },
};

type CommandOutput = ShellCallOutput['output'][number];

function toCommandOutput({ stdout, stderr, outcome }: Fields): CommandOutput {
  const { type, exitCode } = fieldsOf(outcome) ?? {};
  return {
    stdout: typeof stdout === 'string' ? stdout : '',
    stderr: typeof stderr === 'string' ? stderr : '',
    outcome:
      type === 'timeout'
        ? { type: 'timeout' }
        : { type: 'exit', exit_code: typeof exitCode === 'number' ? exitCode : 0 },
  };
}

/** What a host gives that has no outputs by command: a text, an error, a refusal of the user. */
const toOnlyOutput = ({ text, isError }: { text: string; isError: boolean }): CommandOutput =>
  isError
    ? { stdout: '', stderr: text, outcome: { type: 'exit', exit_code: 1 } }
    : { stdout: text, stderr: '', outcome: { type: 'exit', exit_code: 0 } };
