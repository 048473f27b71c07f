import { asJson, idOf, objectOf, stringOf } from '../../shared/json.js';
import { hostedCallNames } from '../../tool-calls/hosted-tools.js';
import { escapeJson, type HostedTool, presentFields } from './hosted-tool.js';

/** `code_interpreter`: runs Python in a container on the server. */
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
      input: ({ code, container_id: containerId }) => presentFields({ code, containerId }),
      result: ({ outputs }) => ({ outputs: asJson(outputs ?? null) }),
    },
  },
  history: hostedCallNames.codeInterpreter,
};
