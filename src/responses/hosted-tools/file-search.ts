import { asJson, objectsOf } from '../../shared/json.js';
import { type HostedTool, presentFields, renameFields } from './hosted-tool.js';

/** `file_search`: searches vector stores on the server. */
export const fileSearchTool: HostedTool = {
  declarations: {
    'openai.file_search': {
      type: 'file_search',
      toSettings: ({ vectorStoreIds, maxNumResults, ranking, filters }) => ({
        vector_store_ids: vectorStoreIds,
        max_num_results: maxNumResults,
        ranking_options: renameFields(ranking, { ranker: 'ranker', scoreThreshold: 'score_threshold' }),
        filters,
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
    },
  },
  history: { toolNames: ['file_search'], idPrefixes: ['fs'] },
};
