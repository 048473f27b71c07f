import { describe, expect, it, vi } from 'vitest';
import { estimateSize, Memory, MEMORIES } from '../src/core/shared/memory.js';
import { read, sourceFiles } from './structure.js';

const rows = read('src/README.md')
  .split('## What outlives a call')[1]
  ?.split('\n## ')[0]
  ?.split('\n')
  .filter(line => line.startsWith('| ') && !line.startsWith('| memory') && !line.startsWith('| ---'))
  .map(line => line.split('|').map(cell => cell.trim()));

/** Names of constants of the package itself, which are filled when their module is loaded. */
const CONSTANTS =
  /^src\/(?:responses\/hosted-tools\/index|testing\/(?!command\/).*|core\/shared\/memory)\.ts$/;

describe('the table of what outlives a call', () => {
  it('has the owner and the bounds of each memory of the code', () => {
    const inTable = (rows ?? []).flatMap(([, name = '', , owner = '', , bound]) =>
      name.startsWith('`') ? [[name.replaceAll('`', ''), owner.split(':')[0], bound]] : [],
    );
    const inCode = Object.entries(MEMORIES).map(([name, bounds]) => {
      const { bytes, time } = { bytes: undefined, time: undefined, ...bounds };
      const texts = [`${bounds.entries} entries`, bytes && `${bytes} bytes`, time && `${time} ms`];
      return [name, bounds.owner, texts.filter(Boolean).join(', ')];
    });
    expect(inTable).toEqual(inCode);
  });

  it('names each file with a memory', () => {
    const named = new Set((rows ?? []).flatMap(([, , files = '']) => files.match(/[\w/-]+\.ts/g) ?? []));
    const remembering = sourceFiles('src').filter(
      file =>
        !CONSTANTS.test(file) &&
        /^(?:export )?const \w+ = new (?:Map|Set)(?:<[^;]*>)?\(\);|new Weak(?:Map|Set)\b|new Memory</m.test(
          read(file),
        ),
    );
    expect(remembering.map(file => file.replace('src/', '')).filter(file => !named.has(file))).toEqual([]);
  });
});

describe('a memory', () => {
  it('keeps at most its number of entries, and those that were read last', () => {
    const memory = new Memory<number, number>('other models');
    for (let key = 0; key < 100; key++) {
      memory.set(key, key);
      memory.get(0);
    }
    expect(memory.size).toBe(MEMORIES['other models'].entries);
    expect(memory.get(0)).toBe(0);
    expect(memory.get(1)).toBeUndefined();
  });

  it('keeps at most its bytes, and no entry that exceeds them', () => {
    const memory = new Memory<number, number>('failed turns');
    for (let key = 0; key < 10; key++) memory.set(key, key, 3_000_000);
    expect(memory.keys()).toEqual([8, 9]);
    memory.set(11, 11, 9_000_000);
    expect(memory.keys()).toEqual([8, 9]);
  });

  it('forgets entries after their time without a further use', () => {
    vi.useFakeTimers();
    try {
      const memory = new Memory<number, number>('failed turns');
      memory.set(1, 1);
      vi.advanceTimersByTime(60_000);
      memory.set(2, 2);
      vi.advanceTimersByTime(60_000);
      expect(memory.size).toBe(1);
      vi.advanceTimersByTime(60_000);
      expect(memory.size).toBe(0);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('estimates the size of values with circles and bytes', () => {
    const value: Record<string, unknown> = { text: 'x'.repeat(1000), bytes: new Uint8Array(1000) };
    value.self = value;
    expect(estimateSize(value)).toBe(2064);
  });

  it('estimates the size of a list with more values than a call can have arguments', () => {
    expect(estimateSize(Array.from({ length: 300_000 }, () => 'x'))).toBe(300_064);
  });
});
