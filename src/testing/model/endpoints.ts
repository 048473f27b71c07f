import { objectsOf, type PlainObject } from '../../core/shared/json.js';
import {
  type ApiError,
  badRequest,
  invalidValue,
  type ItemMemory,
  missingParameter,
  type RawItem,
  unknownParameter,
} from '../protocol/wire.js';
import { type ResponsesRequest, toItemType } from '../protocol/request.js';
import {
  charactersPerToken,
  createEncryptedContent,
  createId,
  estimateTokens,
  toPromptText,
  toUsage,
} from './response.js';

/** Returns a compaction item if the prompt exceeds the request's threshold. */
export function toCompaction(request: ResponsesRequest): RawItem[] {
  const threshold = objectsOf(request.body.context_management).find(
    entry => entry.type === 'compaction',
  )?.compact_threshold;
  const tokens = toPromptText(request).length / charactersPerToken;
  return typeof threshold === 'number' && tokens >= threshold ? [createCompactionItem()] : [];
}

export const createCompactionItem = (): RawItem => ({
  type: 'compaction',
  id: createId('cmp'),
  encrypted_content: createEncryptedContent(),
});

/** Returns the API's error for the parameters of `POST /responses/compact`. */
export function validateCompact(body: PlainObject): ApiError | undefined {
  const name = Object.keys(body).find(key => !parameters.has(key));
  return name === undefined ? undefined : unknownParameter(name);
}

const parameters = new Set(
  (
    'image input instructions model previous_response_id prompt_cache_key prompt_cache_options ' +
    'prompt_cache_retention service_tier'
  ).split(' '),
);

/** Compacts a conversation: keeps the messages of the user, and replaces everything else by one item. */
export function compact(request: ResponsesRequest, context: { memory: ItemMemory }): PlainObject {
  const { items } = request;
  const compaction = createCompactionItem();
  const id = createId('resp');
  const createdAt = Math.floor(Date.now() / 1000);
  context.memory.remember(
    {
      id,
      createdAt,
      status: 'completed',
      usage: null,
      echo: {},
      output: [{ type: 'raw', item: compaction }],
    },
    { items, store: false },
  );
  const messages = items.filter(item => toItemType(item) === 'message' && item.role === 'user');
  return {
    id,
    object: 'response.compaction',
    created_at: createdAt,
    output: [...messages.map(toCompleteMessage), compaction],
    usage: toUsage(estimateTokens(toPromptText(request)), {
      outputTokens: estimateTokens(String(compaction.encrypted_content)),
    }),
  };
}

/** Adds the fields that a message of the input may omit. */
function toCompleteMessage({ id = createId('msg'), content, ...message }: PlainObject): PlainObject {
  const parts =
    typeof content === 'string'
      ? [{ type: 'input_text', text: content }]
      : objectsOf(content).map(part => (part.type === 'input_image' ? { detail: 'auto', ...part } : part));
  return { type: 'message', id, status: 'completed', ...message, content: parts };
}

/** Computes the response to a request to `/embeddings`: the body, or the API's error. */
export function embed(body: PlainObject): { body: PlainObject } | { error: ApiError } {
  const { model, input, dimensions, encoding_format: encoding = 'float' } = body;
  if (typeof model !== 'string' || model === '') return { error: missingParameter('model') };
  const inputs = toInputs(input);
  if (inputs === undefined)
    return { error: input === undefined ? missingParameter('input') : invalidInput() };
  if (encoding !== 'float' && encoding !== 'base64') {
    return { error: invalidValue('encoding_format', { value: encoding, supported: ['float', 'base64'] }) };
  }
  const available = model.includes('3-large') ? 3072 : 1536;
  if (dimensions !== undefined && !isSize(dimensions, available)) {
    return { error: invalidDimensions(dimensions, available) };
  }
  const size = typeof dimensions === 'number' ? dimensions : available;
  const tokens = inputs.reduce((sum, text) => sum + estimateTokens(text), 0);
  const data = inputs.map((text, index) => {
    const vector = toVector(text, { model, size });
    return { object: 'embedding', index, embedding: encoding === 'float' ? vector : toBase64(vector) };
  });
  return {
    body: { object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } },
  };
}

/**
 * Computes a unit vector that depends only on text, model and size. Texts with common words get similar vectors. Vectors
 * of different models are unrelated, as with real models.
 */
function toVector(text: string, options: { model: string; size: number }): number[] {
  const vector = new Array<number>(options.size).fill(0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? ['']) {
    const next = createRandom(`${options.model} ${word}`);
    for (let step = 0; step < 32; step++) {
      const index = Math.floor(next() * options.size);
      vector[index] = (vector[index] ?? 0) + next() * 2 - 1;
    }
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map(value => value / length);
}

/** Creates a generator of numbers from 0 to 1 that depend only on the seed (FNV-1a, then mulberry32). */
function createRandom(seed: string): () => number {
  let state = 0x811c9dc5;
  for (const character of seed) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns the texts of an input, with token lists joined to text, or `undefined` for an invalid input. */
function toInputs(input: unknown): string[] | undefined {
  const isTokens = Array.isArray(input) && input.length > 0 && input.every(Number.isInteger);
  const inputs: unknown[] = Array.isArray(input) && !isTokens ? input : [input];
  const texts = inputs.map(entry => (Array.isArray(entry) ? entry.join(' ') : entry));
  const areTexts = texts.length > 0 && texts.length <= 2048;
  return areTexts && texts.every(text => typeof text === 'string' && text !== '')
    ? texts.map(String)
    : undefined;
}

const isSize = (value: unknown, maximum: number): boolean =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= maximum;

const invalidInput = (): ApiError =>
  badRequest(
    "'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference.",
  );

const invalidDimensions = (dimensions: unknown, maximum: number): ApiError =>
  badRequest(
    `Invalid value for 'dimensions' = ${String(dimensions)}. Must be an integer from 1 to ${maximum}.`,
    { param: 'dimensions' },
  );

const toBase64 = (vector: readonly number[]): string =>
  Buffer.from(new Float32Array(vector).buffer).toString('base64');
