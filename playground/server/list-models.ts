import * as z from 'zod';
import { describeFailure } from '../shared/describe-failure.js';
import type { ModelList } from '../shared/playground-state.js';
import type { Redactor } from './turn/redact.js';
import { openTarget, type OpenTargetOptions } from './turn/open-target.js';

const modelsAnswer = z.object({ data: z.array(z.object({ id: z.string().max(200) })).max(5000) });

/** Milliseconds. */
const TIME_LIMIT = 10_000;

/** The models that the endpoint offers; one that does not say leaves the list empty and tells why. */
export async function listModels(
  endpoint: string,
  { redactor, signal, ...options }: OpenTargetOptions & { redactor: Redactor; signal: AbortSignal },
): Promise<ModelList> {
  const target = await openTarget({ endpoint, fault: 'none', faultRequest: 0 }, options);
  try {
    const response = await fetch(toModelsUrl(target.baseURL), {
      headers: target.apiKey === undefined ? {} : { authorization: `Bearer ${target.apiKey}` },
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT)]),
    });
    if (!response.ok) return { models: [], problem: `The endpoint answered with status ${response.status}.` };
    const { data } = modelsAnswer.parse(await response.json());
    return { models: data.map(({ id }) => id).toSorted() };
  } catch (error) {
    const reason = error instanceof z.ZodError ? 'it answered in an unknown form' : describeFailure(error);
    return { models: [], problem: redactor.text(`The models could not be listed: ${reason}.`) };
  } finally {
    await target.close();
  }
}

/** The path goes before a query. */
function toModelsUrl(baseURL: string): URL {
  const url = new URL(baseURL);
  url.pathname = `${url.pathname.replace(/\/+$/, '') || '/v1'}/models`;
  return url;
}
