import * as z from 'zod/v4';
import { asJson, idOf, objectOf, stringOf } from '../../core/shared/json.js';
import { hostedCallNames } from '../../core/tool-calls/hosted-tools.js';
import {
  escapeJson,
  type HostedTool,
  presentFields,
  defineHostedTool,
  redactDomainSecrets,
} from './hosted-tool.js';

export interface CodeInterpreterToolArguments {
  /**
   * Id of a container, or the container to create.
   * @default a new container without files
   */
  container?:
    | string
    | {
        /** Ids of uploaded files to copy into the container. */
        fileIds?: string[];
        memoryLimit?: '1g' | '4g' | '16g' | '64g';
        /** Access to the network. @default the default of the API */
        networkPolicy?:
          | { type: 'disabled' }
          | {
              type: 'allowlist';
              allowedDomains: string[];
              domainSecrets?: { domain: string; name: string; value: string }[];
            };
      };
}

export interface CodeInterpreterInput {
  code?: string | null;
  containerId: string;
}

export interface CodeInterpreterOutput {
  outputs?: ({ type: 'logs'; logs: string } | { type: 'image'; url: string })[] | null;
}

/** Runs Python in a container on OpenAI's servers. */
export const codeInterpreter = defineHostedTool<
  CodeInterpreterInput,
  CodeInterpreterOutput,
  CodeInterpreterToolArguments
>()({
  id: 'openai.code_interpreter',
  name: 'code_interpreter',
  isProviderExecuted: true,
  redact: redactDomainSecrets('container'),
  toSchemas: () => ({
    inputSchema: z.object({ code: z.string().nullish(), containerId: z.string() }),
    outputSchema: z.object({
      outputs: z
        .array(
          z.discriminatedUnion('type', [
            z.object({ type: z.literal('logs'), logs: z.string() }),
            z.object({ type: z.literal('image'), url: z.string() }),
          ]),
        )
        .nullish(),
    }),
  }),
});

export const codeInterpreterTool: HostedTool = {
  declarations: {
    'openai.code_interpreter': {
      type: 'code_interpreter',
      adaptSettings: ({ container, ...settings }) => {
        const automatic = objectOf(container ?? {});
        return { container: automatic ? { type: 'auto', ...automatic } : container, ...settings };
      },
      choiceFields: [],
      include: 'code_interpreter_call.outputs',
    },
  },
  items: {
    code_interpreter_call: {
      toolName: 'code_interpreter',
      hasInputParts: true,
      inputStream: {
        events: ['response.code_interpreter_call_code.delta'],
        begin(item) {
          const containerId = idOf(item.container_id);
          let start = `{${containerId === undefined ? '' : `"containerId":${JSON.stringify(containerId)},`}"code":"`;
          return event => {
            const delta = stringOf(event.delta);
            if (delta === '') return '';
            const before = start;
            start = '';
            return before + escapeJson(delta);
          };
        },
        end: '"}',
      },
      input: item => presentFields({ code: item.code, containerId: item.container_id }),
      result: item => ({ outputs: asJson(item.outputs ?? null) }),
    },
  },
  history: hostedCallNames.codeInterpreter,
};
