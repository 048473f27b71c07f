import type { PlainObject } from '../../src/core/shared/json.js';
import type { ScriptedOutput } from '../../src/testing/protocol/scripts.js';

/** Rewrites the chunks of a streamed chat completion or Gemini response, to imitate another server. */
export type RewriteChunks = (chunks: readonly PlainObject[]) => readonly PlainObject[];

/** A scripted response of an API whose streams consist of chunks. */
export type ScriptedChunks = ScriptedOutput & { readonly chunks: RewriteChunks };

/** Returns the rewrite function of a script, if it has one. */
export const chunksOf = (script: object): RewriteChunks | undefined =>
  'chunks' in script && typeof script.chunks === 'function' ? (script.chunks as RewriteChunks) : undefined;
