import type { APICallError } from '@ai-sdk/provider';
import { toErrorText, withHint } from '../core/http/api-error.js';
import { requestJson, type JsonRequestOptions } from '../core/http/request-json.js';
import { objectOf, objectsOf } from '../core/shared/json.js';
import { toNameHint } from '../core/shared/names.js';
import { readError } from '../core/shared/reported-error.js';

/** Gateways list hundreds of models. */
const MAX_NAMES = 20;

/** Returns true if a server reports that it does not have a model. Servers other than OpenAI's report no code for it. */
export function isUnknownModel(error: APICallError, modelId: string): boolean {
  return (
    readError(error.data)?.code === 'model_not_found' ||
    (error.statusCode === 404 && error.message.includes(modelId))
  );
}

/** Adds to an error what the server's list of models says about a name that it does not know. */
export async function explainUnknownModel(
  error: APICallError,
  { modelId, ...request }: JsonRequestOptions & { readonly modelId: string },
): Promise<APICallError> {
  const names = await readNames(request);
  return names.length === 0 || names.includes(modelId) ? error : withHint(error, toHint(modelId, names));
}

async function readNames(request: JsonRequestOptions): Promise<string[]> {
  try {
    const { body } = await requestJson(request);
    const ids = objectsOf(objectOf(body)?.data).map(entry => entry.id);
    return ids.filter(id => typeof id === 'string').map(toErrorText);
  } catch {
    // The server has no such list. Its first error is the one that counts.
    request.signal?.throwIfAborted();
    return [];
  }
}

function toHint(modelId: string, names: readonly string[]): string {
  const hint = toNameHint(modelId, { kind: 'models of this server', known: names });
  if (names.length <= MAX_NAMES) return hint;
  const [suggestion] = hint.split('Known ');
  return `${suggestion}This server lists ${names.length} models, and "${modelId}" is none of them.`;
}
