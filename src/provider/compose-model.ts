import type { LanguageModelV2 } from '@ai-sdk/provider';
import { adaptModel } from '../adapters/adapt-model.js';
import { observeModel } from '../parts/observed-model.js';
import type { Adaptation } from './model-overrides.js';
import type { KelivoResponsesSettings } from './settings.js';
import { createToolLoop } from '../tool-loop/tool-loop.js';
import type { ToolSource } from '../tools/tool-source.js';

export interface ComposeModelOptions extends Pick<
  KelivoResponsesSettings,
  'toolLoop' | 'timeouts' | 'telemetry'
> {
  readonly adaptation: Adaptation;
  readonly tools: ToolSource | undefined;
  /** Returns the signal that ends turns when the provider is closed. */
  readonly closed: () => AbortSignal;
}

/** Wraps a model in the adapters of its family and those in the tool loop. */
export function composeModel(
  model: LanguageModelV2,
  { adaptation, tools, toolLoop = {}, timeouts = {}, telemetry, closed }: ComposeModelOptions,
): LanguageModelV2 {
  // Adapters run inside the loop, so that the loop sees calls that the model wrote as text.
  const adapted = adaptModel(model, {
    adapters: adaptation.adapters,
    toolPrompting: adaptation.toolPrompting || undefined,
    undeclared: adaptation.undeclared,
    startsInReasoning: adaptation.startsInReasoning,
  });
  if (toolLoop === false) return observeModel(adapted, telemetry);
  // The loop is needed even without tools: a call may supply its own.
  const loopTimeouts = { tool: timeouts.tool, total: timeouts.total };
  return createToolLoop(
    adapted,
    { telemetry, ...toolLoop, tools: tools ?? [], timeouts: loopTimeouts },
    { reportsLength: true, resumesResponses: true, closed },
  );
}
