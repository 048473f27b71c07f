import { createRandom } from '../_chunking.js';

export type Random = () => number;

/** Mutates streams reproducibly, by seed. */
export interface Mutator {
  readonly random: Random;
  /** Returns the bytes of the stream after up to five mutations. */
  stream(body: string): Uint8Array;
}

export function createMutator(seed: number): Mutator {
  const random = createRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = <Value>(values: readonly Value[]): Value => values[below(values.length)] as Value;

  /** Mutations of the list of frames. */
  const onFrames: readonly ((frames: string[]) => string[])[] = [
    frames => frames.filter((_, index) => index !== below(frames.length)),
    frames => frames.toSpliced(below(frames.length), 0, pick(frames)),
    frames => {
      const [from, to] = [below(frames.length), below(frames.length)];
      return frames.with(from, frames[to] ?? '').with(to, frames[from] ?? '');
    },
    frames => frames.slice(0, below(frames.length)),
    frames => frames.slice(below(frames.length)),
    frames => frames.with(below(frames.length), pick(ODD_FRAMES)),
    frames => editEvent(frames, event => breakField(event)),
    frames => editEvent(frames, event => ({ ...event, type: pick(TYPES) })),
  ];

  /** Mutations of the bytes. */
  const onBytes: readonly ((bytes: Uint8Array) => Uint8Array)[] = [
    bytes => {
      const changed = bytes.slice();
      const at = below(changed.length);
      changed[at] = (changed[at] ?? 0) ^ (1 << below(8));
      return changed;
    },
    bytes => bytes.slice(0, below(bytes.length)),
    bytes => {
      const at = below(bytes.length);
      return Uint8Array.from([...bytes.slice(0, at), ...pick(ODD_BYTES), ...bytes.slice(at)]);
    },
  ];

  return {
    random,
    stream(body) {
      let frames = body.split('\n\n');
      for (let count = below(4); count > 0 && frames.length > 0; count--) frames = pick(onFrames)(frames);
      let bytes: Uint8Array = new TextEncoder().encode(frames.join('\n\n'));
      for (let count = below(3); count > 0 && bytes.length > 0; count--) bytes = pick(onBytes)(bytes);
      return bytes;
    },
  };

  function editEvent(frames: string[], edit: (event: Record<string, unknown>) => unknown): string[] {
    const at = below(frames.length);
    const [head, data] = (frames[at] ?? '').split('data: ');
    if (data === undefined) return frames;
    try {
      return frames.with(at, `${head}data: ${JSON.stringify(edit(JSON.parse(data)))}`);
    } catch {
      return frames;
    }
  }

  /** Replaces a field, possibly a nested one, with a value of another type. */
  function breakField(value: Record<string, unknown>, depth = 0): Record<string, unknown> {
    const names = Object.keys(value);
    if (names.length === 0) return value;
    const name = pick(names);
    const inner = value[name];
    if (depth < 4 && random() < 0.6 && typeof inner === 'object' && inner !== null && !Array.isArray(inner)) {
      return { ...value, [name]: breakField(inner as Record<string, unknown>, depth + 1) };
    }
    if (random() < 0.2) return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
    return { ...value, [name]: pick(ODD_VALUES) };
  }
}

const nest = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);

const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  2 ** 53,
  '',
  'x',
  [],
  {},
  [null],
  [[]],
  { a: 1 },
  nest(200),
  JSON.parse('{"__proto__":{"polluted":1}}'),
];

const TYPES = [
  'response.created',
  'response.completed',
  'response.failed',
  'response.incomplete',
  'response.done',
  'error',
  'response.output_item.added',
  'response.output_item.done',
  'response.output_text.delta',
  'keepalive',
  '__proto__',
  'constructor',
  'toString',
  '',
];

const ODD_FRAMES = [
  'data: {',
  'data: null',
  'data: 1',
  'data: []',
  'data: [DONE]',
  'data:',
  ': comment',
  'event: error',
  'data: "x"',
  'data: {"error":"text","code":null}',
  'data: {"error":{"message":1,"code":{}}}',
  'data: {"choices":[]}',
  'data: {"type":"response.output_item.done","item":{"type":"function_call"}}',
  'data: {"type":"response.output_item.done","item":{"type":"__proto__","id":"__proto__"}}',
  'data: {"type":"response.output_text.delta","delta":"x","item_id":"__proto__","output_index":"__proto__"}',
  'data: {"type":"response.completed"}',
  'data: {"type":"response.completed","response":{"output":[null,1,{}]}}',
  `data: {"type":"x","deep":${JSON.stringify(nest(500))}}`,
];

const ODD_BYTES = [
  [0],
  [0xff],
  [0xc3],
  [0xf0, 0x9f],
  [0x0d],
  [0x0a],
  [0x0d, 0x0a, 0x0d],
  [0xef, 0xbb, 0xbf],
  [0x1b, 0x5b],
];
