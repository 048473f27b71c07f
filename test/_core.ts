import type { LanguageModelV2 } from '@ai-sdk/provider';
import { adapterOf, joinAdapters } from '../src/adapters/kit/middleware.js';
import type { CoreCall, TurnLink } from '../src/core/call.js';
import type { CoreModel } from '../src/core/source.js';
import { NO_CALL_TELEMETRY, NO_ROUND_TELEMETRY } from '../src/core/telemetry.js';
import { fromLanguageModel, toLanguageModel } from '../src/core/versions/language-model.js';
import type { TextToolSettings } from '../src/adapters/text-tools/text-tools.js';
import type { AnyMiddleware, ModelMiddleware } from '../src/core/versions/middleware.js';
import type { AnyLanguageModel } from '../src/core/versions/specification.js';

/** Creates a streamed call of a host that shows and keeps everything, as `ai` 7 does. */
export const coreCall = (overrides: Partial<CoreCall> = {}): CoreCall => ({
  isStream: true,
  prompt: [{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }],
  own: {},
  host: {
    undeclaredCalls: 'full',
    asksForApproval: true,
    acceptsLaterResults: true,
    acceptsTextInput: true,
    countsAllParts: false,
    repeatsStreams: true,
    wrapsToolOutput: true,
    writeMessages: () => [],
  },
  telemetry: NO_CALL_TELEMETRY,
  roundTelemetry: NO_ROUND_TELEMETRY,
  ...overrides,
});

/** Creates the link of a request to a turn of its own. */
export function createTurn(round = 1): TurnLink {
  const states = new Map<object, unknown>();
  return {
    id: 'turn',
    round,
    stateOf<State>(owner: object, create: () => State): State {
      if (!states.has(owner)) states.set(owner, create());
      return states.get(owner) as State;
    },
  };
}

/** Reads a model, which receives the history as it is. */
export const toCore = (model: AnyLanguageModel): CoreModel =>
  fromLanguageModel(model, { serialize: call => call });

/** Wraps a model in middlewares, the first one outermost. */
export const wrapModel = (
  model: LanguageModelV2,
  middlewares: readonly (AnyMiddleware | ModelMiddleware)[],
  settings: TextToolSettings = {},
): LanguageModelV2 => {
  const adapter = joinAdapters(middlewares.map(adapterOf));
  return toLanguageModel(adapter.wrap(toCore(model), { ...settings, version: 'v2' }), 'v2');
};
