import type { Message, ToolResultOutput } from '../../../core/prompt.js';
import { unwrapMcpOutput } from '../../../core/tool-calls/mcp-output.js';
import { isTooLong } from '../../calls/outputs.js';
import type { CreateFeature } from '../feature.js';
import { getOutput, keepOutput } from './keeping.js';
import type { ToolOutputStore } from './store.js';

/*
 * Outputs that are too long for a request. A store keeps the whole text under an id that nobody can guess, for the owner of the
 * turn. The model receives the beginning with the id, and reads the rest with a tool.
 */

export interface KeepingOptions {
  /**
   * Keeps outputs that are longer than `maxToolOutputChars`. The model receives the beginning and the end of such an output
   * with its size and an id, and a tool `read_tool_output` that returns any part of it and searches in it. The host receives
   * the same, and `providerMetadata.kelivo.output`. `true` keeps them in the memory of the process: 64 MB, a quarter of them
   * for one `scope`, for one hour. Without a `scope`, all calls share them, under ids that cannot be
   * guessed. An output that cannot be kept is cut, with a warning.
   * @default false, outputs that are too long are cut
   */
  keepToolOutputs?: boolean | { readonly store: ToolOutputStore };
}

/** Keeps the outputs of a turn that are too long. */
export const createKeeping: CreateFeature<KeepingOptions> = (
  { scope, maxChars, reader, warn },
  { keepToolOutputs: option = false },
) => {
  if (option === false) return undefined;
  const given = option === true ? undefined : option.store;
  const owner = { scope };
  let isNeeded = false;
  return {
    output(output, { tool: { name }, round, signal }) {
      const limit = { maxChars: maxChars(name) };
      if (!isTooLong(output, limit)) return undefined;
      return keepOutput(output, {
        ...limit,
        given,
        owner,
        signal,
        reader: reader.name,
        onFailure: reason =>
          warn(round, `An output of the tool "${name}" was cut, because it could not be kept: ${reason}`),
      });
    },
    outputs: {
      get: (id, signal) => getOutput(id, { given, owner, signal }),
      isNeeded(prompt) {
        isNeeded ||= prompt.some(isNamedIn);
        return isNeeded;
      },
    },
  };
};

/** The note about an output that is kept. It is near the beginning of its text. */
const NOTE = /^\[This output [^\]]{0,300}"out_[0-9a-f]{32}"/;

/** Returns true if a message contains the note, or a text of the user with an id, such as a summary. */
const isNamedIn = (message: Message): boolean =>
  message.role === 'user'
    ? message.content.some(part => part.type === 'text' && /out_[0-9a-f]{32}/.test(part.text))
    : message.role !== 'system' &&
      message.content.some(
        part => part.type === 'tool-result' && textsOf(part.output).some(text => NOTE.test(text)),
      );

/** Returns the texts of an output. Hosts keep the content of a result as JSON. */
function textsOf(given: ToolResultOutput): string[] {
  const output = unwrapMcpOutput(given);
  if (output.type === 'content')
    return output.value.flatMap(part => (part.type === 'text' ? [part.text] : []));
  return output.type === 'text' || output.type === 'error-text' ? [output.value] : [];
}
