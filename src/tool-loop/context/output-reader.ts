import type { ToolDefinition } from '../../tools/tool-source.js';
import { findOutput, type ReadableOutputs, readOutput } from './read-output.js';
import type { CreateBuiltIn } from './built-in-tools.js';

/*
 * The tool with which a model reads outputs that its request does not contain: those that were removed, and the rest of those
 * that are too long. Features provide the outputs.
 */

/** The reader of a turn. */
export interface OutputReader {
  /** Its name in the newest listing. */
  readonly name: string;
  readonly create: CreateBuiltIn;
}

const READ_TOOL = 'read_tool_output';

/** Maximum length of a text to find. The time of a search is proportional to it in the worst case. */
const MAX_FIND = 200;

const READ_DEFINITION: Omit<ToolDefinition, 'name'> = {
  description:
    'Reads or searches the output of an earlier tool call that is not in the conversation as a whole.',
  inputSchema: {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'The id in the note about the output.' },
      find: {
        type: 'string',
        maxLength: MAX_FIND,
        description: 'Returns only the passages that contain this text. Case does not matter.',
      },
      offset: { type: 'integer', minimum: 0, description: 'Number of characters to skip. Default: 0.' },
      limit: { type: 'integer', minimum: 1, description: 'Maximum number of characters to return.' },
    },
    required: ['id'],
    additionalProperties: false,
  },
  readOnly: true,
  openWorld: false,
};

/**
 * Creates the reader of some sources. The first one that has an output of an id provides it.
 *
 * @param maxChars Returns the maximum length of the reader's own outputs, by its name.
 */
export function createOutputReader(
  sources: readonly ReadableOutputs[],
  maxChars: (toolName: string) => number,
): OutputReader {
  let name = READ_TOOL;
  return {
    get name() {
      return name;
    },
    create(toName) {
      name = toName(READ_TOOL);
      const isAlways = sources.some(source => source.isNeeded === undefined);
      return {
        definition: { name, ...READ_DEFINITION },
        ...(!isAlways && {
          isNeeded: prompt => sources.some(source => source.isNeeded?.(prompt) === true),
        }),
        async run({ id, ...passage }, { signal }) {
          const found = await findOutput(sources, String(id), signal);
          return 'failure' in found
            ? { type: 'error-text', value: found.failure }
            : readOutput(found.output, { ...passage, maxFind: MAX_FIND, maxChars: maxChars(name) });
        },
      };
    },
  };
}
