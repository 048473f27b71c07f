import type { ServerTools } from './list-tools.js';

/** The tool list of a server that was read last. It belongs to one connection, and so to one authorization. */
export interface ListCache {
  /** Returns the last list if it is still valid. */
  find(options: CacheOptions): ServerTools | undefined;
  /** Reads the list and caches it, unless it is invalidated while it is read. */
  fill(read: () => Promise<ServerTools>, options: CacheOptions): Promise<ServerTools>;
  /** The last list, which may be outdated. */
  readonly last: ServerTools | undefined;
  invalidate(): void;
  /** Removes the last list too. */
  forget(): void;
}

interface CacheOptions {
  /** True while the server announces every change of the list. */
  readonly announcesChanges: boolean;
}

/** Creates the cache of a list that is valid for the time that it states, or until the server announces a change. */
export function createListCache(): ListCache {
  let last: ServerTools | undefined;
  let isValid = false;
  /** True if changes were announced when the list was read, so that it is valid until one is. */
  let isWatched = false;
  let freshUntil = 0;
  let version = 0;

  return {
    get last() {
      return last;
    },
    find({ announcesChanges }) {
      const isFresh = (isWatched && announcesChanges) || Date.now() < freshUntil;
      return isValid && isFresh ? last : undefined;
    },
    async fill(read, { announcesChanges }) {
      const versionBefore = version;
      last = await read();
      freshUntil = Date.now() + last.freshFor;
      isWatched = announcesChanges;
      isValid = version === versionBefore;
      return last;
    },
    invalidate,
    forget() {
      last = undefined;
      invalidate();
    },
  };

  function invalidate(): void {
    isValid = false;
    version++;
  }
}
