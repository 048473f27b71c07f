import { useState } from 'react';

const PREFIX = 'kelivo-playground-input ';

/** Converts input to text and back, also values that JSON cannot represent. */
interface Codec {
  write(value: unknown): string;
  read(text: string): unknown;
}

/**
 * State that survives a reload, such as input that was not sent yet. It belongs to the tab, as its token does. An empty text
 * and `undefined` are forgotten.
 *
 * @param key Nothing for a state that is not kept.
 */
export function useKept<Value>(
  key: string | undefined,
  initial: () => Value,
  { write, read }: Codec = {
    write: value => JSON.stringify(value),
    read: text => JSON.parse(text) as unknown,
  },
): readonly [Value, (value: Value) => void] {
  const [value, setValue] = useState((): Value => {
    const kept = key === undefined ? null : sessionStorage.getItem(PREFIX + key);
    return kept === null ? initial() : (read(kept) as Value);
  });
  const change = (next: Value): void => {
    setValue(next);
    if (key === undefined) return;
    if (next === undefined || next === '') return forgetInput(key);
    try {
      sessionStorage.setItem(PREFIX + key, write(next));
    } catch {
      // The storage of a tab is limited. Input that does not fit is lost with a reload.
      forgetInput(key);
    }
  };
  return [value, change];
}

export function forgetInput(...keys: readonly string[]): void {
  for (const key of keys) sessionStorage.removeItem(PREFIX + key);
}
