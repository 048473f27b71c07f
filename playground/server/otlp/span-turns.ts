import { createHash } from 'node:crypto';
import { sumUsage } from '../../shared/cost.js';
import type { PlaygroundMessage } from '../../shared/playground-state.js';
import type { TraceEvent, TraceFact, Usage } from '../../shared/trace-event.js';
import { readQuestion } from '../apps/app-record.js';
import { type ForeignTurn, toTitle } from '../apps/apps.js';
import { isFields, listOf, numberOf, objectOf, textOf } from '../apps/fields.js';
import type { Redactor } from '../redaction/redactor.js';
import type { ReceivedSpan } from './spans.js';

type Kind = 'agent' | 'model' | 'tool';

/**
 * The kinds of spans: those of the conventions for generative AI, and those of `ai` 5 and 6.
 * https://github.com/open-telemetry/semantic-conventions-genai
 */
const KINDS: Readonly<Record<string, Kind>> = {
  chat: 'model',
  text_completion: 'model',
  generate_content: 'model',
  fetch_response: 'model',
  execute_tool: 'tool',
  invoke_agent: 'agent',
  agent_step: 'agent',
  'ai.generateText.doGenerate': 'model',
  'ai.streamText.doStream': 'model',
  'ai.generateObject.doGenerate': 'model',
  'ai.streamObject.doStream': 'model',
  'ai.toolCall': 'tool',
  'ai.generateText': 'agent',
  'ai.streamText': 'agent',
  'ai.generateObject': 'agent',
  'ai.streamObject': 'agent',
};

function kindOf({ name, attributes }: ReceivedSpan): Kind | undefined {
  const operation = textOf(attributes['gen_ai.operation.name']);
  const own = textOf(attributes['ai.operationId']) || name;
  return KINDS[operation] ?? KINDS[own];
}

/** Converts the spans of one trace to turns: one for each outermost span of a model, a tool or an agent. */
export function toSpanTurns(
  spans: readonly ReceivedSpan[],
  { redactor }: { redactor: Redactor },
): ForeignTurn[] {
  const byId = new Map(spans.map(span => [span.spanId, span]));
  const groups = new Map<string, ReceivedSpan[]>();
  for (const span of spans) {
    if (kindOf(span) === undefined) continue;
    const root = outermost(span, byId);
    groups.set(root.spanId, [...(groups.get(root.spanId) ?? []), span]);
  }
  return [...groups].map(([rootId, members]) =>
    toTurn(byId.get(rootId) as ReceivedSpan, { members, byId, redactor }),
  );
}

/** Returns the spans around a span, the innermost first. A circle ends at its second visit. */
function parentsOf({ parentSpanId }: ReceivedSpan, byId: ReadonlyMap<string, ReceivedSpan>): ReceivedSpan[] {
  const parents: ReceivedSpan[] = [];
  let parent = byId.get(parentSpanId ?? '');
  while (parent !== undefined && !parents.includes(parent)) {
    parents.push(parent);
    parent = byId.get(parent.parentSpanId ?? '');
  }
  return parents;
}

const outermost = (span: ReceivedSpan, byId: ReadonlyMap<string, ReceivedSpan>): ReceivedSpan =>
  parentsOf(span, byId).findLast(parent => kindOf(parent) !== undefined) ?? span;

interface TurnSpans {
  readonly members: readonly ReceivedSpan[];
  readonly byId: ReadonlyMap<string, ReceivedSpan>;
  readonly redactor: Redactor;
}

function toTurn(root: ReceivedSpan, { members, byId, redactor }: TurnSpans): ForeignTurn {
  const kinds = (kind: Kind): ReceivedSpan[] =>
    members.filter(span => kindOf(span) === kind).toSorted((a, b) => a.startAt - b.startAt);
  // The host's span of a model call contains the rounds of a provider with a loop.
  const isAround = (span: ReceivedSpan): boolean =>
    members.some(other => kindOf(other) === 'model' && parentsOf(other, byId)[0] === span);
  const models = kinds('model').filter(span => !isAround(span));
  const tools = longestByCall(kinds('tool'));
  const beganAt = Math.min(...members.map(({ startAt }) => startAt));
  const endAt = Math.max(...members.map(span => span.endAt));
  const events: TraceEvent[] = [];
  const record = (fact: TraceFact, at: number): void =>
    void events.push({ ...fact, at: Math.round((at - beganAt) * 10) / 10 } as TraceEvent);

  const { appName, process, problem } = root;
  const described = [root, ...models].map(describeModel);
  record(
    {
      type: 'turn-start',
      startedAt: new Date(beganAt).toISOString(),
      app: { name: redactor.text(appName), ...(process !== undefined && { process }) },
      modelId: described.find(({ modelId }) => modelId !== '')?.modelId ?? '',
      endpoint: described.find(({ provider }) => provider !== '')?.provider ?? 'OpenTelemetry',
      adapters: [],
    },
    beganAt,
  );
  for (const [index, span] of models.entries()) {
    const call = parentsOf(span, byId).find(parent => kindOf(parent) === 'tool');
    recordModel(span, { round: index + 1, record, redactor, toolCallId: call && toCallId(call) });
  }
  const [first] = models;
  const toToken = first && readFirstToken(first);
  if (first !== undefined && toToken !== undefined) record({ type: 'first-token' }, first.startAt + toToken);
  for (const span of tools) {
    const round = Math.max(1, models.filter(({ startAt }) => startAt <= span.startAt).length);
    recordTool(span, { round, record });
  }
  const usages = models.map(readUsage).filter(usage => Object.keys(usage).length > 0);
  record(
    {
      type: 'turn-end',
      end: problem === undefined ? 'finished' : 'failed',
      ...(problem !== undefined && { message: redactor.text(problem) }),
      usage: usages.length > 0 ? sumUsage(usages) : readUsage(root),
    },
    endAt,
  );
  const asked = [root, ...models].map(span => readQuestion(readInput(span))).find(Boolean) ?? '';
  const question = redactor.text(asked);
  const id = createHash('sha256').update(`${root.traceId} ${root.spanId}`).digest('hex').slice(0, 32);
  return {
    at: endAt,
    question,
    title: question === '' ? redactor.text(root.name) : toTitle(question),
    message: toMessage(id, [...models.toReversed(), root]),
    trace: events.toSorted((a, b) => a.at - b.at || order(a) - order(b)),
  };
}

/** A turn begins before everything else at its time, and ends after it. */
const order = ({ type }: TraceEvent): number => ({ 'turn-start': 0, 'turn-end': 2 })[type as string] ?? 1;

interface Recording {
  readonly round: number;
  readonly record: (fact: TraceFact, at: number) => void;
}

function recordModel(
  span: ReceivedSpan,
  { round, record, redactor, toolCallId }: Recording & { redactor: Redactor; toolCallId: string | undefined },
): void {
  const { startAt, endAt, attributes, problem } = span;
  const { modelId, provider } = describeModel(span);
  const input = readInput(span);
  const output = readOutput(span);
  record({ type: 'round-start', round, ...(toolCallId !== undefined && { toolCallId, modelId }) }, startAt);
  const body = { model: modelId, ...(input !== undefined && { input }) };
  const url = textOf(attributes['server.address']) || provider || 'OpenTelemetry';
  record(
    { type: 'request', exchange: round, round, method: 'POST', url: redactor.text(url), headers: {}, body },
    startAt,
  );
  if (output !== undefined)
    record({ type: 'body', exchange: round, text: JSON.stringify(redactor.json(output)) }, endAt);
  const end = problem === undefined ? ('complete' as const) : ('broken' as const);
  const message = problem === undefined ? {} : { message: redactor.text(problem) };
  record({ type: 'exchange-end', exchange: round, end, ...message }, endAt);
  const reasons = attributes['gen_ai.response.finish_reasons'];
  const reason = textOf(listOf(reasons)[0] ?? attributes['ai.response.finishReason']);
  record({ type: 'round-end', round, finishReason: reason || 'unknown', usage: readUsage(span) }, endAt);
}

const toCallId = (span: ReceivedSpan): string => callIdOf(span) || span.spanId;

function recordTool(span: ReceivedSpan, { round, record }: Recording): void {
  const { startAt, endAt, attributes, problem } = span;
  const toolName = textOf(attributes['gen_ai.tool.name'] ?? attributes['ai.toolCall.name']) || span.name;
  const toolCallId = toCallId(span);
  const args = attributes['gen_ai.tool.call.arguments'] ?? attributes['ai.toolCall.args'] ?? '';
  const input = typeof args === 'string' ? args : JSON.stringify(args);
  record({ type: 'tool-start', round, toolCallId, toolName, input }, startAt);
  const isError = problem !== undefined || attributes['error.type'] !== undefined;
  record({ type: 'tool-end', round, toolCallId, toolName, duration: endAt - startAt, isError }, endAt);
}

const callIdOf = ({ attributes }: ReceivedSpan): string =>
  textOf(attributes['gen_ai.tool.call.id'] ?? attributes['ai.toolCall.id']);

/** A host adds a span without duration for a call that its provider has run. */
function longestByCall(spans: readonly ReceivedSpan[]): ReceivedSpan[] {
  const longest = new Map<string, ReceivedSpan>();
  for (const span of spans) {
    const id = callIdOf(span) || span.spanId;
    const known = longest.get(id);
    if (known === undefined || span.endAt - span.startAt > known.endAt - known.startAt) longest.set(id, span);
  }
  return [...longest.values()];
}

const describeModel = ({ attributes }: ReceivedSpan) => ({
  modelId: textOf(attributes['gen_ai.request.model'] ?? attributes['ai.model.id']),
  provider: textOf(
    attributes['gen_ai.provider.name'] ?? attributes['ai.model.provider'] ?? attributes['gen_ai.system'],
  ),
});

function readUsage({ attributes }: ReceivedSpan): Usage {
  const read = (...names: string[]): number | undefined =>
    names.map(name => numberOf(attributes[name])).find(count => count !== undefined);
  const counts = {
    inputTokens: read(
      ...['gen_ai.usage.input_tokens', 'kelivo.usage.input_tokens'],
      ...['ai.usage.inputTokens', 'ai.usage.promptTokens'],
    ),
    outputTokens: read(
      ...['gen_ai.usage.output_tokens', 'kelivo.usage.output_tokens'],
      ...['ai.usage.outputTokens', 'ai.usage.completionTokens'],
    ),
    cachedInputTokens: read('gen_ai.usage.cache_read.input_tokens', 'ai.usage.cachedInputTokens'),
    reasoningTokens: read('gen_ai.usage.reasoning.output_tokens', 'ai.usage.reasoningTokens'),
  };
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined));
}

/** Milliseconds. */
function readFirstToken({ attributes }: ReceivedSpan): number | undefined {
  const seconds = numberOf(attributes['gen_ai.response.time_to_first_chunk']);
  return (
    numberOf(attributes['ai.response.msToFirstChunk']) ?? (seconds === undefined ? undefined : seconds * 1000)
  );
}

/** Content is JSON text in attributes. */
const parse = (value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
};

/** The conventions name the text of a part `content`. */
function readInput({ attributes }: ReceivedSpan): unknown {
  const messages = parse(attributes['gen_ai.input.messages'] ?? attributes['ai.prompt.messages']);
  if (messages !== undefined)
    return listOf(messages)
      .filter(isFields)
      .map(({ parts, ...message }) => ({ ...message, content: message.content ?? toParts(parts) }));
  const prompt = parse(attributes['ai.prompt']);
  return objectOf(prompt)?.messages ?? objectOf(prompt)?.prompt ?? prompt;
}

const toParts = (parts: unknown): unknown[] =>
  listOf(parts).map(part => {
    const { content, ...rest } = objectOf(part) ?? {};
    return rest.type === 'text' ? { ...rest, text: content } : (part ?? null);
  });

const readOutput = ({ attributes }: ReceivedSpan): unknown => {
  const messages = parse(attributes['gen_ai.output.messages']);
  if (messages !== undefined) return messages;
  const text = attributes['ai.response.text'];
  const toolCalls = parse(attributes['ai.response.toolCalls']);
  return text === undefined && toolCalls === undefined ? undefined : { text, toolCalls };
};

/** Writes the last text that a model wrote. */
function toMessage(id: string, spans: readonly ReceivedSpan[]): PlaygroundMessage {
  const texts = spans.map(span => {
    const output = readOutput(span);
    if (!Array.isArray(output)) return textOf(objectOf(output)?.text);
    return output
      .flatMap(message => toParts(objectOf(message)?.parts))
      .map(part => textOf(objectOf(part)?.text))
      .join('');
  });
  return { id, role: 'assistant', parts: [{ type: 'text', text: texts.find(Boolean) ?? '' }] };
}
