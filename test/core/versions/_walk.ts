import type { ModelMessage, ToolSet } from 'ai';
import { runInProvider, type ToolSource } from '../../../src/tool-loop/index.js';
import fc from '../../_property.js';
import {
  createExits,
  type Exit,
  type ExitName,
  exitNamed,
  exits,
  createHostTools,
  type Store,
} from './_exits.js';
import { type FinishedCall, findFault } from './_history-rules.js';
import { asModel, type Major } from './_majors.js';
import type { Answer, AnsweredCall, WireRequest, WireServer } from './_wires.js';

export type Mode = 'generate' | 'stream';

/** A call by who runs it and how it ends. */
export type CallKind = keyof typeof toolOf;

const toolOf = {
  local: 'lookup',
  'local-failed': 'broken_lookup',
  'local-denied': 'danger',
  mcp: 'find',
  'mcp-image': 'photo',
  'mcp-failed': 'broken_find',
  host: 'weather',
  'host-failed': 'broken_weather',
} as const;

/** The kinds in place of those that an exit without a loop cannot run. */
const withoutLoop: Readonly<Record<CallKind, CallKind>> = {
  local: 'host',
  'local-failed': 'host-failed',
  'local-denied': 'host-failed',
  mcp: 'host',
  'mcp-image': 'host',
  'mcp-failed': 'host-failed',
  host: 'host',
  'host-failed': 'host-failed',
};

/** One response of the model. */
export interface Round {
  readonly calls: readonly CallKind[];
  readonly reasoning?: boolean;
  readonly text?: boolean;
  /** The server runs a web search, if it speaks the Responses API. */
  readonly search?: boolean;
}

export interface Turn {
  readonly exit: ExitName;
  readonly mode: Mode;
  /** The rounds before the final answer. */
  readonly rounds: readonly Round[];
  /** The package runs the host's tools, if the exit has a loop. */
  readonly inProvider?: boolean;
  /** The final answer has reasoning. */
  readonly reasoning?: boolean;
}

export interface Walk {
  /** The host knows the tools of the package. */
  readonly stubs: boolean;
  readonly store: Store;
  /** The model numbers its calls in each response: `call_0`, `call_1`. */
  readonly repeatsIds: boolean;
  /** The host sees nothing of the calls that the package runs. */
  readonly hidesCalls: boolean;
  readonly turns: readonly Turn[];
}

const round: fc.Arbitrary<Round> = fc.record({
  calls: fc.array(fc.constantFrom(...(Object.keys(toolOf) as CallKind[])), { minLength: 1, maxLength: 2 }),
  reasoning: fc.boolean(),
  text: fc.boolean(),
  search: fc.constantFrom(false, false, false, true),
});

/** Walks of five turns over exits. */
export const walksOver = (names: readonly ExitName[]): fc.Arbitrary<Walk> =>
  fc
    .record({
      stubs: fc.boolean(),
      store: fc.constantFrom(false, true, undefined),
      repeatsIds: fc.boolean(),
      hidesCalls: fc.constantFrom(false, false, false, true),
      turns: fc.array(
        fc.record({
          exit: fc.constantFrom(...names),
          mode: fc.constantFrom<Mode>('generate', 'stream'),
          rounds: fc.array(round, { maxLength: 2 }),
          inProvider: fc.constantFrom(false, false, true),
          reasoning: fc.boolean(),
        }),
        { minLength: 5, maxLength: 5 },
      ),
    })
    .map(({ turns, ...walk }) => ({
      ...walk,
      // A server that stores calls under repeated ids could not tell their outputs apart.
      ...(walk.repeatsIds && { store: false }),
      turns: turns.map(toPossibleTurn),
    }));

/** Replaces the calls that an exit cannot run. */
function toPossibleTurn(turn: Turn): Turn {
  const { hasLoop, wire } = exitNamed(turn.exit);
  return {
    ...turn,
    inProvider: hasLoop && turn.inProvider,
    rounds: turn.rounds.map(({ calls, search = false, ...rest }) => ({
      ...rest,
      calls: hasLoop ? calls : calls.map(kind => withoutLoop[kind]),
      search: search && wire === 'responses',
    })),
  };
}

export const allExits: readonly ExitName[] = exits.map(({ name }) => name);

/** Shows a walk in one line, up to and including a turn. */
function toPath({ stubs, store, repeatsIds, hidesCalls, turns }: Walk, last = turns.length - 1): string {
  const settings = [
    stubs ? 'stubs' : 'no stubs',
    `store ${store ?? 'unset'}`,
    ...(repeatsIds ? ['repeated ids'] : []),
    ...(hidesCalls ? ['hidden calls'] : []),
  ];
  const steps = turns.slice(0, last + 1).map(({ exit, mode, rounds, inProvider }) => {
    const calls = rounds.map(one => [...one.calls, ...(one.search ? ['search'] : [])].join('+'));
    return `${exit}/${mode}${inProvider ? '/host tools in the provider' : ''}${calls.length === 0 ? '' : ` (${calls.join(', ')})`}`;
  });
  return `${settings.join(', ')}: ${steps.join(' → ')}`;
}

/** A conversation through several exits, whose requests are checked. */
export interface CheckedConversation extends History {
  /** The first fault so far: the turn, the request and what is wrong. */
  readonly fault: string | undefined;
  /** Sends one turn and adds its messages to the history, which passes through JSON. */
  play(turn: Turn): Promise<void>;
  close(): Promise<void>;
}

interface Surroundings {
  readonly major: Major;
  readonly server: WireServer;
  readonly mcp: ToolSource;
}

/** Plays a walk to its end or to its first fault, which it returns with the path to it. */
export async function findFaultOf(walk: Walk, surroundings: Surroundings): Promise<string | undefined> {
  const conversation = startConversation(walk, surroundings);
  try {
    for (const [index, turn] of walk.turns.entries()) {
      await conversation.play(turn);
      if (conversation.fault !== undefined) {
        return `ai ${surroundings.major.ai}, ${toPath(walk, index)}: ${conversation.fault}`;
      }
    }
    return undefined;
  } finally {
    await conversation.close();
  }
}

/** A conversation that an earlier one started. */
export interface History {
  readonly messages: readonly ModelMessage[];
  readonly finished: readonly FinishedCall[];
  readonly prompts: readonly string[];
}

export function startConversation(
  { stubs, store, repeatsIds, hidesCalls }: Omit<Walk, 'turns'>,
  { major, server, mcp }: Surroundings,
  history: History = { messages: [], finished: [], prompts: [] },
): CheckedConversation {
  const { sdk } = major;
  const executions = new Map<string, number>();
  const onRun = (key: string) => void executions.set(key, (executions.get(key) ?? 0) + 1);
  const models = createExits(major, { server, mcp, onRun, toolActivity: hidesCalls ? 'none' : undefined });
  const finished = [...history.finished];
  const prompts = [...history.prompts];
  const messages = [...history.messages];
  const script: Answer[] = [];
  let fault: string | undefined;
  let keys = finished.length;
  server.reset();

  const toCall = (kind: CallKind, index: number, { writesCalls = false }: Exit): AnsweredCall => {
    const key = `k${String(++keys).padStart(3, '0')}`;
    const id = repeatsIds ? `call_${index}` : `call_${key}`;
    return { tool: toolOf[kind], input: { key }, ...(writesCalls ? written : { id, itemId: `fc_${key}` }) };
  };

  function toAnswer({ calls, reasoning, text, search }: Round, exit: Exit): Answer {
    const made = calls.map((kind, index) => toCall(kind, index, exit));
    const searches = search ? [`k${String(++keys).padStart(3, '0')}`] : undefined;
    return {
      ...(reasoning && { reasoning: 'Thinking about it.' }),
      ...(text && { text: 'One moment.' }),
      ...(searches && { searches }),
      ...(exit.writesCalls ? { text: made.map(toMarkup).join('\n') } : { calls: made }),
    };
  }

  /** Remembers the calls of an answer, which the next request has to contain. */
  function finish({ calls = [], searches = [], text = '' }: Answer, { wire }: WireRequest): void {
    const named = wire === 'gemini' || repeatsIds ? undefined : true;
    for (const key of searches) finished.push({ key, id: undefined, hosted: true });
    for (const { id, input } of calls) finished.push({ key: String(input.key), id: named && id });
    for (const [key] of text.matchAll(/\bk\d{3}\b/g)) finished.push({ key, id: undefined });
  }

  return {
    ...{ messages, finished, prompts },
    get fault() {
      return fault;
    },
    close: () => models.close(),

    async play({ exit: name, mode, rounds, inProvider, reasoning }) {
      const exit = exitNamed(name);
      const turn = prompts.length + 1;
      const prompt = `Question ${turn}.`;
      prompts.push(prompt);
      messages.push({ role: 'user', content: prompt });
      const final = { text: `Answer ${turn}.`, ...(reasoning && { reasoning: 'It is clear.' }) };
      script.splice(0, Infinity, ...rounds.map(one => toAnswer(one, exit)), final);

      let requests = 0;
      server.answer(request => {
        const found = findFault(request, { finished, prompts, ...exit, storedItem: server.storedItem });
        requests++;
        if (found !== undefined) fault ??= `request ${requests} of turn ${turn} contains ${found}`;
        const answer = script.shift();
        // Ends the turn.
        if (fault !== undefined || answer === undefined) return { status: 400 };
        finish(answer, request);
        return answer;
      });

      const hostTools = createHostTools(sdk, onRun);
      const own = inProvider ? runInProvider(hostTools) : { tools: hostTools, providerOptions: {} };
      const tools: ToolSet = {
        ...own.tools,
        ...(stubs ? await models.tools() : {}),
        ...(rounds.some(one => one.search) && { web_search: major.webSearch() }),
      };
      const options = {
        model: asModel(models.model(name)),
        messages: [...messages],
        tools,
        stopWhen: sdk.stepCountIs(5),
        maxRetries: 0,
        providerOptions: { ...own.providerOptions, ...(store !== undefined && { openai: { store } }) },
      };
      try {
        const result = await run(sdk, mode, options);
        if (script.length > 0) fault ??= `turn ${turn} ended before its last ${script.length} rounds`;
        if (!result.text.includes(final.text)) fault ??= `turn ${turn} ended with "${result.text}"`;
        for (const [key, times] of executions) if (times > 1) fault ??= `the call ${key} ran ${times} times`;
        messages.push(...(JSON.parse(JSON.stringify(result.messages)) as ModelMessage[]));
      } catch (error) {
        fault ??= `turn ${turn} failed: ${String(error)}`;
      }
    },
  };
}

/** The model of text-written calls gives them no ids. */
const written = { id: '', itemId: '' };

const toMarkup = ({ tool, input }: AnsweredCall): string =>
  `<tool_call>\n${JSON.stringify({ name: tool, arguments: input })}\n</tool_call>`;

export interface HostResult {
  readonly text: string;
  readonly finishReason: unknown;
  readonly usage: Readonly<Record<string, unknown>>;
  readonly messages: ModelMessage[];
}

type HostOptions = Parameters<Major['sdk']['generateText']>[0];

/** Calls `generateText` or `streamText`. Rejects with the first error of a stream. */
export async function run(sdk: Major['sdk'], mode: Mode, options: HostOptions): Promise<HostResult> {
  if (mode === 'generate') {
    const result = await sdk.generateText(options);
    return {
      text: result.text,
      finishReason: result.finishReason,
      usage: { ...result.totalUsage },
      messages: await messagesOf(result),
    };
  }
  const errors: unknown[] = [];
  const result = sdk.streamText({
    ...(options as Parameters<Major['sdk']['streamText']>[0]),
    onError: ({ error }) => void errors.push(error),
  });
  await result.consumeStream({ onError: error => void errors.push(error) });
  if (errors.length > 0) throw errors[0];
  return {
    text: await result.text,
    finishReason: await result.finishReason,
    usage: { ...(await result.totalUsage) },
    messages: await messagesOf(result),
  };
}

/** Returns the messages of all steps. In `ai@7`, `response` is that of the last step. */
async function messagesOf(result: {
  readonly response: PromiseLike<{ messages: ModelMessage[] }> | { messages: ModelMessage[] };
  readonly responseMessages?: PromiseLike<ModelMessage[]> | ModelMessage[];
}): Promise<ModelMessage[]> {
  return (await result.responseMessages) ?? (await result.response).messages;
}
