import type { Warning } from '../core/part.js';
import type { PartFacts } from '../core/prompt.js';
import { idOf, numberOf, objectOf, objectsOf, type PlainObject } from '../core/shared/json.js';
import type { ModelMemory } from './compatibility/model-memory.js';
import type { ResponsesRequestBody } from './wire.js';

/*
 * Servers ignore fields that they do not know, without an error. The response object repeats the fields that it follows, and
 * what a request asked for counts only if it does. A field that the response does not have says nothing, except where OpenAI
 * always sends it and a mistake costs tokens only.
 */

/** Returns true if a response runs in the background, where it can be read again. Ollama repeats the field, and stores nothing. */
export const isInBackground = (response: PlainObject): boolean =>
  response.background === true && response.store !== false;

/** Returns true if a response continues another one. OpenAI always repeats the id, so that a missing one means no. */
export const continues = (response: PlainObject, previousId: string): boolean =>
  response.previous_response_id === previousId;

/** A field that the server ignored. */
interface IgnoredField {
  /** The option of the call. */
  readonly feature: string;
  readonly details: string;
}

/** Returns the fields of a request that its response contradicts, and that no other request can make up for. */
function findIgnored(
  body: ResponsesRequestBody & PlainObject,
  response: PlainObject,
  memory: ModelMemory,
): IgnoredField[] {
  const ignored: IgnoredField[] = [];
  const add = (feature: string, details: string): void => void ignored.push({ feature, details });
  const previousId = body.previous_response_id;
  if (previousId !== undefined && !continues(response, previousId)) {
    add(
      'previousResponseId',
      'The server ignored previousResponseId: the model has not seen the conversation before it. ' +
        'Send the complete history instead.',
    );
  }
  const { conversation } = body;
  if (
    conversation !== undefined &&
    toConversationId(conversation) !== toConversationId(response.conversation)
  ) {
    add(
      'conversation',
      'The server ignored conversation: the model has not seen its messages. Send the complete history instead.',
    );
  }
  // The warning about the background says the same.
  if (body.background !== true && isUnstored(body, response)) {
    add(
      'store',
      'The server stored no response: previousResponseId cannot continue it. Later requests contain its content.',
    );
  }
  if (ignoresTools(body, response, memory))
    add('tools', 'The server ignored the tools: the model cannot call them.');
  if (body.parallel_tool_calls === false && response.parallel_tool_calls === true) {
    add(
      'parallelToolCalls',
      'The server ignored parallelToolCalls: the model may call several tools at once.',
    );
  }
  const { max_output_tokens: limit } = body;
  const followed = response.max_output_tokens;
  if (limit !== undefined && (followed === null || (numberOf(followed) ?? 0) > limit))
    add('maxOutputTokens', 'The server ignored maxOutputTokens: the response may be longer.');
  const format = body.text?.format?.type;
  const used = idOf(objectOf(objectOf(response.text)?.format)?.type);
  if (format !== undefined && used !== undefined && used !== format)
    add('responseFormat', 'The server ignored the format of the response: its text may be no JSON.');
  return ignored;
}

/**
 * Returns true if the response repeats none of the tools. A call contradicts that: servers repeat an empty list, and call a
 * tool. A stream shows it only later, so that the first one is no proof.
 */
function ignoresTools(
  { tools: sent = [] }: ResponsesRequestBody & PlainObject,
  { tools, output, status }: PlainObject,
  memory: ModelMemory,
): boolean {
  if (objectsOf(output).some(item => item.type === 'function_call')) memory.tools = 'called';
  const received = Array.isArray(tools) ? new Set(objectsOf(tools).map(nameOf)) : undefined;
  if (received === undefined || sent.length === 0 || sent.some(tool => received.has(nameOf(tool))))
    return false;
  if (memory.tools === 'unknown') {
    memory.tools = 'doubtful';
    return status === 'completed';
  }
  return memory.tools === 'doubtful';
}

/** A conversation is its id, or an object with the id. */
const toConversationId = (value: unknown): string | undefined => idOf(value) ?? idOf(objectOf(value)?.id);

const nameOf = (tool: { readonly type?: unknown; readonly name?: unknown }): unknown =>
  tool.name ?? tool.type;

const isUnstored = (body: Pick<ResponsesRequestBody, 'store'>, response: PlainObject): boolean =>
  body.store && response.store === false;

/**
 * Compares a response object with its request. Returns facts for the history, and warnings about fields that the server ignores:
 * those that a model ignores for all calls once, and those of a conversation for each call.
 */
export function readEcho(
  body: ResponsesRequestBody,
  response: PlainObject,
  memory: ModelMemory,
): { warnings: readonly Warning[]; facts: PartFacts | undefined } {
  const warnings = findIgnored({ ...body }, response, memory)
    .filter(({ feature }) => OF_CONVERSATION.has(feature) || memory.isNewReport(feature))
    .map((ignored): Warning => ({ type: 'unsupported', ...ignored }));
  const other = toOtherModel(body.model, response);
  if (other !== undefined && memory.isNewModel(other)) {
    warnings.push({ type: 'other', message: `The model "${other}" answered in place of "${body.model}".` });
  }
  return { warnings, facts: isUnstored(body, response) ? { unstored: true } : undefined };
}

/** Fields without which the model answers without the conversation: each call has its own. */
const OF_CONVERSATION: ReadonlySet<string> = new Set(['previousResponseId', 'conversation']);

/**
 * Returns the name of the model that answered, if it is another one of the same family, as `grok-4.3` for `grok-3-mini`.
 * Servers add a version, a date or a vendor to a name, and gateways have names of their own for models.
 */
function toOtherModel(requested: string, response: PlainObject): string | undefined {
  const received = idOf(response.model) ?? '';
  if (received === requested) return undefined;
  const [a = '', b = ''] = [requested, received].map(name => name.toLowerCase().replace(/^.*[/\\]/, ''));
  const isSameFamily = /^[a-z]+/.exec(a)?.[0] === /^[a-z]+/.exec(b)?.[0];
  return isSameFamily && !a.includes(b) && !b.includes(a) ? received : undefined;
}

export const BACKGROUND_IGNORED: Warning = {
  type: 'unsupported',
  feature: 'background',
  details: 'The server ignored background and answered at once: the response cannot be resumed.',
};
