import { diffArrays } from 'diff';
import type { Exchange, Trace } from '../../shared/trace.js';
import { isRecord, type JsonDifference, diffJson } from './json-difference.js';

/** A part of a run: an item that was sent or received. */
export interface RunItem {
  /** Items of two runs with the same name are compared: `message of user`, `call get-sum`. */
  readonly name: string;
  readonly text: string;
}

/** The same part of two runs. One that only one of them has is undefined in the other. */
export interface ItemPair {
  readonly name: string;
  readonly first?: string;
  readonly second?: string;
}

/** Things that changed in the same way, such as `$schema` of 45 tools. */
export interface ChangeGroup {
  readonly names: readonly string[];
  /** Differences of their JSON. A thing that only one run has, differs as a whole. */
  readonly differences: readonly JsonDifference[];
}

export interface RunComparison {
  readonly settings: readonly JsonDifference[];
  readonly equalSettings: number;
  readonly tools: readonly ChangeGroup[];
  readonly equalTools: number;
  /** All items in their order. */
  readonly items: readonly ItemPair[];
}

/** Compares what two runs sent and received, by items. */
export function compareRuns(first: Trace, second: Trace): RunComparison {
  const bodies = [first, second].map(({ exchanges }) => toRecord(exchanges[0]?.request.body));
  const [settings = {}, others = {}] = bodies.map(
    ({ input: _input, tools: _tools, ...rest }) => rest as Record<string, unknown>,
  );
  const differences = diffJson(settings, others);
  const changed = new Set(differences.map(({ path }) => path.split(/[.[]/)[0]));
  const [tools = new Map<string, unknown>(), otherTools = new Map<string, unknown>()] = bodies.map(toTools);
  const names = [...new Set([...tools.keys(), ...otherTools.keys()])];
  const groups = new Map<string, { names: string[]; differences: readonly JsonDifference[] }>();
  for (const name of names) {
    const found = diffJson(tools.get(name), otherTools.get(name));
    if (found.length === 0) continue;
    const isWhole = !tools.has(name) || !otherTools.has(name);
    const key = isWhole ? `whole ${tools.has(name)}` : JSON.stringify(found);
    const group = groups.get(key) ?? { names: [], differences: isWhole ? [] : found };
    group.names.push(name);
    if (isWhole && group.differences.length === 0)
      group.differences = [
        { path: '', first: tools.has(name) || undefined, second: otherTools.has(name) || undefined },
      ];
    groups.set(key, group);
  }
  const grouped = [...groups.values()];
  return {
    settings: differences,
    equalSettings: new Set([...Object.keys(settings), ...Object.keys(others)]).size - changed.size,
    tools: grouped,
    equalTools: names.length - grouped.reduce((sum, group) => sum + group.names.length, 0),
    items: alignItems(toItems(first), toItems(second)),
  };
}

function toTools({ tools }: Record<string, unknown>): Map<string, unknown> {
  return new Map(
    (Array.isArray(tools) ? tools : []).map((tool: unknown) => {
      const { name, type } = toRecord(tool);
      return [String(name ?? type), tool];
    }),
  );
}

/** Pairs items by name and order. A change within a run does not move the items after it. */
function alignItems(first: readonly RunItem[], second: readonly RunItem[]): ItemPair[] {
  const pairs: ItemPair[] = [];
  let left = 0;
  let right = 0;
  const parts = diffArrays([...first], [...second], { comparator: (a, b) => a.name === b.name });
  for (const { added, removed, value } of parts) {
    for (const { name } of value) {
      pairs.push({
        name,
        ...(!added && { first: first[left++]?.text }),
        ...(!removed && { second: second[right++]?.text }),
      });
    }
  }
  return pairs;
}

/** Returns the input of the first request, then the output of each response and the results that follow it. */
function toItems({ exchanges, end }: Trace): RunItem[] {
  const calls = new Map<string, string>();
  const items: RunItem[] = [];
  let sent = 0;
  for (const exchange of exchanges) {
    const { input } = toRecord(exchange.request.body);
    const all: unknown[] = Array.isArray(input) ? input : input === undefined ? [] : [input];
    // Later requests repeat what was sent and received before, and only results of tools are new.
    const added =
      sent === 0 ? all : all.slice(sent).filter(item => toRecord(item).type === 'function_call_output');
    sent = Math.max(sent, all.length);
    items.push(...added.map(item => toItem(item, calls)));
    items.push(...toOutput(exchange).map(item => toItem(item, calls)));
    if ((exchange.status ?? 200) >= 400)
      items.push({ name: `status ${exchange.status}`, text: exchange.bodyText ?? '' });
  }
  if (end !== undefined) items.push({ name: 'end', text: [end.end, end.message].filter(Boolean).join(': ') });
  return items;
}

/** The output of the last event that has some, or of a response that was not streamed. */
function toOutput({ events, bodyText }: Exchange): readonly unknown[] {
  const done = events.flatMap(({ name, data }) =>
    name === 'response.output_item.done' ? [toRecord(data).item] : [],
  );
  const last = events.findLast(({ data }) => isRecord(data) && isRecord(data.response))?.data;
  const response = last === undefined ? parse(bodyText) : toRecord(last).response;
  const { output } = toRecord(response);
  return Array.isArray(output) && output.length >= done.length ? (output as unknown[]) : done;
}

function toItem(item: unknown, calls: Map<string, string>): RunItem {
  if (!isRecord(item)) return { name: 'message of user', text: String(item) };
  const { type = 'message', role, name, call_id: callId } = item;
  switch (type) {
    case 'message':
      return {
        name: `message of ${role === 'assistant' ? 'the model' : String(role)}`,
        text: toText(item.content),
      };
    case 'reasoning':
      return { name: 'reasoning', text: toText(item.summary) || toText(item.content) };
    case 'function_call':
      calls.set(String(callId), String(name));
      return { name: `call ${String(name)}`, text: String(item.arguments) };
    case 'function_call_output':
      return { name: `result of ${calls.get(String(callId)) ?? 'a call'}`, text: toText(item.output) };
    default:
      return { name: String(type), text: JSON.stringify({ ...item, id: undefined }, null, 2) };
  }
}

function toText(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts: unknown[] = Array.isArray(content) ? content : [];
  return parts
    .map(part => {
      const { text, refusal } = toRecord(part);
      return String(text ?? refusal ?? JSON.stringify(part));
    })
    .join('\n');
}

function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

const toRecord = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});
