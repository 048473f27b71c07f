import { asJson, idOf } from '../../shared/json.js';
import { type HostedTool, presentFields, renameFields } from './hosted-tool.js';

/** `code_interpreter`: runs Python in a container on the server. */
export const codeInterpreterTool: HostedTool = {
  declarations: {
    'openai.code_interpreter': {
      type: 'code_interpreter',
      toSettings: ({ container }) => ({
        container:
          typeof container === 'string'
            ? container
            : { type: 'auto', ...renameFields(container, { fileIds: 'file_ids' }) },
      }),
      choiceFields: [],
      include: 'code_interpreter_call.outputs',
    },
  },
  items: {
    code_interpreter_call: {
      toolName: 'code_interpreter',
      hasInputParts: true,
      inputStream: {
        deltaEvent: 'response.code_interpreter_call_code.delta',
        toStart: item => {
          const containerId = idOf(item.container_id);
          return `{${containerId === undefined ? '' : `"containerId":${JSON.stringify(containerId)},`}"code":"`;
        },
        toDelta: code => JSON.stringify(code).slice(1, -1),
        end: '"}',
      },
      input: ({ code, container_id: containerId }) => presentFields({ code, containerId }),
      result: ({ outputs }) => ({ outputs: asJson(outputs ?? null) }),
    },
  },
  history: { toolNames: ['code_interpreter'], idPrefixes: ['ci'] },
};
