import { asJson, idOf, objectsOf } from '../../shared/json.js';
import { hostedCallNames } from '../../tool-calls/hosted-tools.js';
import { type HostedTool, presentFields } from './hosted-tool.js';

/** `file_search`: searches vector stores on the server. */
export const fileSearchTool: HostedTool = {
  declarations: {
    'openai.file_search': {
      type: 'file_search',
      adaptSettings: ({ ranking, ...settings }) => ({
        ...(ranking !== undefined && { ranking_options: ranking }),
        ...settings,
      }),
      choiceFields: [],
    },
  },
  items: {
    file_search_call: {
      toolName: 'file_search',
      emitsCallAtStart: true,
      result: ({ queries, results }) => ({
        queries: asJson(queries ?? null),
        results: Array.isArray(results)
          ? objectsOf(results).map(({ attributes, file_id: fileId, filename, score, text }) =>
              presentFields({ attributes, fileId, filename, score, text }),
            )
          : null,
      }),
      sources: ({ results }) =>
        objectsOf(results).flatMap(({ file_id: id, filename }) => {
          const fileId = idOf(id);
          return fileId === undefined ? [] : [{ fileId, filename: idOf(filename) ?? fileId }];
        }),
    },
  },
  history: hostedCallNames.fileSearch,
};
