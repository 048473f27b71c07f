import * as z from 'zod/v4';
import { type PlainObject, stringOf } from '../../core/shared/json.js';
import { type HostedTool, toCallId, toStatus, defineHostedTool, type ToolCaller } from './hosted-tool.js';

export interface CustomToolArguments {
  /**
   * Name that the model sees.
   * @default the name under which the tool is declared
   */
  name?: string;
  /** Description of the tool and its input for the model. */
  description?: string;
  /**
   * Format of the input: free text, or text that matches a grammar.
   * @default { type: 'text' }
   */
  format?: { type: 'text' } | { type: 'grammar'; syntax: 'lark' | 'regex'; definition: string };
  /**
   * Lets the model continue without waiting for the output (GPT-6 and later).
   * @default false
   */
  async?: boolean;
  /**
   * Hides the tool from the model until a tool search finds it.
   * @default false
   */
  deferLoading?: boolean;
  /**
   * Callers of the tool: the model, its programs, or both.
   * @default the default of the API
   */
  allowedCallers?: ToolCaller[];
}

/** A tool of the host whose input is free text instead of JSON. */
export const custom = defineHostedTool<string, unknown, CustomToolArguments>()({
  id: 'openai.custom',
  name: 'custom',
  isProviderExecuted: false,
  toSchemas: () => ({ inputSchema: z.string() }),
});

export const customTool: HostedTool = {
  declarations: {
    'openai.custom': {
      type: 'custom',
      isNamedByHost: true,
      choiceFields: ['name'],
    },
  },
  items: {
    custom_tool_call: {
      toolName: item => stringOf(item.name) || 'custom_tool',
      callId: toCallId,
      input: item => stringOf(item.input),
      inputStream: {
        events: ['response.custom_tool_call_input.delta'],
        begin: () => (event: PlainObject) => stringOf(event.delta),
        end: '',
        completion: {
          event: 'response.custom_tool_call_input.done',
          fields: event => ({ input: stringOf(event.input) }),
        },
        encoding: 'text',
      },
      isForHost: () => true,
      result: toStatus,
    },
  },
  replay: {
    toCall: (part, context) => ({
      type: 'custom_tool_call',
      call_id: part.toolCallId,
      ...context.takeId(),
      name: context.wireName,
      input: typeof part.input === 'string' ? part.input : (JSON.stringify(part.input) ?? ''),
    }),

    toOutput: (part, toContent) => ({
      type: 'custom_tool_call_output',
      call_id: part.toolCallId,
      output: toContent(part),
    }),
  },
};
