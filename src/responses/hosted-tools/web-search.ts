import type { JSONObject } from '@ai-sdk/provider';
import { idOf, objectOf, objectsOf, type PlainObject } from '../../shared/json.js';
import { hostedCallNames } from '../../tool-calls/hosted-tools.js';
import type { HostedInputItem } from '../wire.js';
import { type HostedTool, presentFields, type ServerCall } from './hosted-tool.js';

const INCLUDE_SOURCES = 'web_search_call.action.sources';

/** `web_search` and `web_search_preview`: searches the web and opens pages on the server. */
export const webSearchTool: HostedTool = {
  declarations: {
    'openai.web_search': { type: 'web_search', choiceFields: [], include: INCLUDE_SOURCES },
    'openai.web_search_preview': { type: 'web_search_preview', choiceFields: [], include: INCLUDE_SOURCES },
  },
  items: {
    web_search_call: {
      toolName: 'web_search',
      emitsCallAtStart: true,
      hasInputParts: true,
      result: toResult,
      sources: ({ action }) =>
        objectsOf(objectOf(action)?.sources).flatMap(({ url, title }) => {
          const address = idOf(url);
          return address === undefined ? [] : [{ url: address, ...presentTitle(title) }];
        }),
    },
  },
  serverReplay: toItems,
  history: hostedCallNames.webSearch,
};

const presentTitle = (title: unknown): { title?: string } => {
  const text = idOf(title);
  return text === undefined ? {} : { title: text };
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
function toItems({ id, result, isError, options }: ServerCall): readonly HostedInputItem[] | undefined {
  const { action, sources, status } = objectOf(result) ?? {};
  const { type, ...fields } = objectOf(action) ?? {};
  if (typeof type !== 'string') return undefined;
  const wireType = Object.keys(actionTypes).find(name => actionTypes[name] === type) ?? type;
  const required = requiredFields[wireType] ?? [];
  if (required.some(name => typeof fields[name] !== 'string')) return undefined;
  const item = {
    type: 'web_search_call',
    id: idOf(options.itemId) ?? id,
    status: isError || status === 'failed' ? 'failed' : 'completed',
    action: { type: wireType, ...fields, ...presentFields({ sources }) },
  };
  return [item];
}

const requiredFields: Readonly<Record<string, readonly string[]>> = {
  open_page: ['url'],
  find_in_page: ['url', 'pattern'],
};
