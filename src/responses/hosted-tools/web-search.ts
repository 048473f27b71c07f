import type { JSONObject } from '@ai-sdk/provider';
import { objectOf } from '../../shared/json.js';
import { type HostedTool, presentFields, renameFields } from './hosted-tool.js';

const INCLUDE_SOURCES = 'web_search_call.action.sources';

/** `web_search` and `web_search_preview`: searches the web and opens pages on the server. */
export const webSearchTool: HostedTool = {
  declarations: {
    'openai.web_search': {
      type: 'web_search',
      toSettings: ({ filters, externalWebAccess, searchContextSize, userLocation }) => ({
        filters: renameFields(filters, {
          allowedDomains: 'allowed_domains',
          blockedDomains: 'blocked_domains',
        }),
        external_web_access: externalWebAccess,
        search_context_size: searchContextSize,
        user_location: userLocation,
      }),
      choiceFields: [],
      include: INCLUDE_SOURCES,
    },
    'openai.web_search_preview': {
      type: 'web_search_preview',
      toSettings: ({ searchContextSize, userLocation }) => ({
        search_context_size: searchContextSize,
        user_location: userLocation,
      }),
      choiceFields: [],
      include: INCLUDE_SOURCES,
    },
  },
  items: {
    web_search_call: {
      toolName: 'web_search',
      emitsCallAtStart: true,
      hasInputParts: true,
      result: ({ action }) => toResult(action),
    },
  },
  history: { toolNames: ['web_search', 'web_search_preview'], idPrefixes: ['ws'] },
};

function toResult(value: unknown): JSONObject {
  const { type, query, sources, url, pattern } = objectOf(value) ?? {};
  switch (type) {
    case 'search':
      return { action: { type: 'search', ...presentFields({ query }) }, ...presentFields({ sources }) };
    case 'open_page':
      return { action: { type: 'openPage', ...presentFields({ url }) } };
    case 'find_in_page':
      return { action: { type: 'findInPage', ...presentFields({ url, pattern }) } };
    default:
      return {};
  }
}
