import { Memory, MEMORIES } from '../../../core/shared/memory.js';
import type { ToolOutputStore } from './store.js';

interface KeptText {
  readonly text: string;
  readonly bytes: number;
  readonly scope: string | undefined;
}

/** The outputs of all providers of the process. Their keys contain their owners. */
const kept = new Memory<string, KeptText>('kept outputs');

/** The share of one owner in bytes, so that it cannot remove the outputs of others. Without owners, there are no others. */
const SHARE = MEMORIES['kept outputs'].bytes / 4;

/** Keeps outputs in the memory of the process. */
export const memoryStore: ToolOutputStore = {
  async put(key, text, owner) {
    const bytes = text.length * (/^[\0-\xff]*$/.test(text) ? 1 : 2);
    const room = owner.scope === undefined ? MEMORIES['kept outputs'].bytes : SHARE;
    if (bytes > room)
      throw new Error(
        `It has ${bytes} bytes, and the memory has room for ${room}. Use a store with more room (\`keepToolOutputs: { store }\`).`,
      );
    if (owner.scope !== undefined) makeRoom(owner.scope, room - bytes);
    kept.set(key, { text, bytes, scope: owner.scope }, bytes);
  },
  get: async key => kept.get(key)?.text,
};

/** Removes the oldest outputs of an owner until the others have at most this number of bytes. */
function makeRoom(scope: string, bytes: number): void {
  const own = kept.entries().filter(([, value]) => value.scope === scope);
  let used = own.reduce((sum, [, value]) => sum + value.bytes, 0);
  for (const [key, value] of own) {
    if (used <= bytes) break;
    kept.delete(key);
    used -= value.bytes;
  }
}
