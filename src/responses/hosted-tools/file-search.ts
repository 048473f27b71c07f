import * as z from 'zod/v4';
import { asJson, idOf, objectsOf } from '../../core/shared/json.js';
import { hostedCallNames } from '../../core/tool-calls/hosted-tools.js';
import { type HostedTool, presentFields, defineHostedTool } from './hosted-tool.js';

export interface FileSearchToolArguments {
  vectorStoreIds: string[];
  /** @default the default of the API */
  maxNumResults?: number;
  /** Ranking of the results. @default the default of the API */
  ranking?: { ranker?: string; scoreThreshold?: number };
  /** Conditions that the attributes of a file have to meet. @default none */
  filters?: FileSearchComparison | FileSearchCompound;
}

export interface FileSearchComparison {
  key: string;
  type: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'nin';
  value: string | number | boolean | string[];
}

export interface FileSearchCompound {
  type: 'and' | 'or';
  filters: (FileSearchComparison | FileSearchCompound)[];
}

export interface FileSearchOutput {
  queries: string[];
  results:
    | {
        attributes: Record<string, unknown>;
        fileId: string;
        filename: string;
        score: number;
        text: string;
      }[]
    | null;
}

/** Searches vector stores on OpenAI's servers. */
export const fileSearch = defineHostedTool<object, FileSearchOutput, FileSearchToolArguments>()({
  id: 'openai.file_search',
  name: 'file_search',
  isProviderExecuted: true,
  toSchemas: () => ({
    inputSchema: z.object({}),
    outputSchema: z.object({
      queries: z.array(z.string()),
      results: z
        .array(
          z.object({
            attributes: z.record(z.string(), z.unknown()),
            fileId: z.string(),
            filename: z.string(),
            score: z.number(),
            text: z.string(),
          }),
        )
        .nullable(),
    }),
  }),
});

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
      result: item => ({
        queries: asJson(item.queries ?? null),
        results: Array.isArray(item.results)
          ? objectsOf(item.results).map(({ attributes, file_id: fileId, filename, score, text }) =>
              presentFields({ attributes, fileId, filename, score, text }),
            )
          : null,
      }),
      sources: item =>
        objectsOf(item.results).flatMap(({ file_id: id, filename }) => {
          const fileId = idOf(id);
          return fileId === undefined ? [] : [{ fileId, filename: idOf(filename) ?? fileId }];
        }),
    },
  },
  history: hostedCallNames.fileSearch,
};
