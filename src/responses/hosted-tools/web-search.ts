import * as z from 'zod/v4';
import { idOf, type JSONObject, objectOf, objectsOf, type PlainObject } from '../../core/shared/json.js';
import { hostedCallNames } from '../../core/tool-calls/hosted-tools.js';
import {
  type HostedTool,
  presentFields,
  type SentItem,
  type ServerCall,
  defineHostedTool,
} from './hosted-tool.js';

export interface WebSearchPreviewToolArguments {
  /** Amount of context for the model. @default the default of the API */
  searchContextSize?: 'low' | 'medium' | 'high';
  /** Location of the user, for results nearby. @default none */
  userLocation?: {
    type: 'approximate';
    /** Two letters, for example `NO`. */
    country?: string;
    city?: string;
    region?: string;
    /** IANA name, for example `Europe/Oslo`. */
    timezone?: string;
  };
}

export interface WebSearchToolArguments extends WebSearchPreviewToolArguments {
  /** Searches the live web instead of cached pages alone. @default the default of the API */
  externalWebAccess?: boolean;
  /** Domains whose pages count. @default all */
  filters?: { allowedDomains?: string[]; blockedDomains?: string[] };
}

type PageAction =
  | { type: 'openPage'; url?: string | null }
  | { type: 'findInPage'; url?: string | null; pattern?: string | null };

export interface WebSearchPreviewOutput {
  action?: { type: 'search'; query?: string } | PageAction;
}

export interface WebSearchOutput {
  action?: { type: 'search'; query?: string; queries?: string[] } | PageAction;
  sources?: ({ type: 'url'; url: string } | { type: 'api'; name: string })[];
}

/** The schema of an action. The fields of a search differ between the two tools. */
const createActionSchema = <Search extends z.ZodRawShape>(search: Search) =>
  z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('search'), query: z.string().optional(), ...search }),
      z.object({ type: z.literal('openPage'), url: z.string().nullish() }),
      z.object({ type: z.literal('findInPage'), url: z.string().nullish(), pattern: z.string().nullish() }),
    ])
    .optional();

/** Searches the web on OpenAI's servers. */
export const webSearch = defineHostedTool<object, WebSearchOutput, WebSearchToolArguments>()({
  id: 'openai.web_search',
  name: 'web_search',
  isProviderExecuted: true,
  toSchemas: () => ({
    inputSchema: z.object({}),
    outputSchema: z.object({
      action: createActionSchema({ queries: z.array(z.string()).optional() }),
      sources: z
        .array(
          z.discriminatedUnion('type', [
            z.object({ type: z.literal('url'), url: z.string() }),
            z.object({ type: z.literal('api'), name: z.string() }),
          ]),
        )
        .optional(),
    }),
  }),
});

/** The earlier form of `webSearch`. */
export const webSearchPreview = defineHostedTool<
  object,
  WebSearchPreviewOutput,
  WebSearchPreviewToolArguments
>()({
  id: 'openai.web_search_preview',
  name: 'web_search_preview',
  isProviderExecuted: true,
  toSchemas: () => ({
    inputSchema: z.object({}),
    outputSchema: z.object({ action: createActionSchema({}) }),
  }),
});

/** The types of the tool: both forms, and the versions of `ResponseCreateParams.tools` in `openai` 7. */
const WEB_SEARCH_TYPES = [
  'web_search',
  'web_search_2025_08_26',
  'web_search_preview',
  'web_search_preview_2025_03_11',
];

export const webSearchTool: HostedTool = {
  declarations: Object.fromEntries(
    WEB_SEARCH_TYPES.map(type => [
      `openai.${type}`,
      { type, choiceFields: [], include: 'web_search_call.action.sources' },
    ]),
  ),
  items: {
    web_search_call: {
      toolName: 'web_search',
      emitsCallAtStart: true,
      hasInputParts: true,
      result: toResult,
      sources: item =>
        objectsOf(objectOf(item.action)?.sources).flatMap(({ url, title }) => {
          const address = idOf(url);
          const name = idOf(title);
          return address === undefined ? [] : [{ url: address, ...(name !== undefined && { title: name }) }];
        }),
    },
  },
  serverReplay: toItems,
  history: hostedCallNames.webSearch,
};

/** Types of the actions in the AI SDK, by those of the API. */
const actionTypes: Readonly<Record<string, string>> = {
  open_page: 'openPage',
  find_in_page: 'findInPage',
};

/** Returns the action and its sources. The result of a failed search contains the status as well. */
function toResult({ status, action, results }: PlainObject): JSONObject {
  const { type, sources, ...fields } = objectOf(action) ?? {};
  return {
    ...(status === 'failed' && { status }),
    ...(typeof type === 'string' && {
      action: { type: actionTypes[type] ?? type, ...presentFields(fields) },
    }),
    ...presentFields({ sources, results }),
  };
}

/**
 * Rebuilds the item. The API requires `url` and `pattern` of the actions that open a page, which the history of a host may
 * lack.
 */
function toItems(call: ServerCall): readonly SentItem[] | undefined {
  const { action, sources, status } = objectOf(call.result) ?? {};
  const { type, ...fields } = objectOf(action) ?? {};
  if (typeof type !== 'string') return undefined;
  const wireType = Object.keys(actionTypes).find(name => actionTypes[name] === type) ?? type;
  const required = requiredFields[wireType] ?? [];
  if (required.some(name => typeof fields[name] !== 'string')) return undefined;
  return [
    {
      type: 'web_search_call',
      id: idOf(call.options.itemId) ?? call.id,
      status: call.isError || status === 'failed' ? 'failed' : 'completed',
      action: { type: wireType, ...fields, ...presentFields({ sources }) },
    },
  ];
}

const requiredFields: Readonly<Record<string, readonly string[]>> = {
  open_page: ['url'],
  find_in_page: ['url', 'pattern'],
};
