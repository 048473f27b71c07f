import type { LanguageModelV2 } from '@ai-sdk/provider';
import { adaptModel } from '../adapters/adapt-model.js';
import type { ModelAdapterRegistry } from '../adapters/registry.js';
import { isHostedToolPart } from '../responses/hosted-tools/index.js';
import type { KelivoResponsesSettings } from './settings.js';
import { createToolLoop } from '../tool-loop/tool-loop.js';
import type { ToolSource } from '../tools/tool-source.js';

export interface ComposeModelOptions extends Pick<KelivoResponsesSettings, 'toolLoop' | 'timeouts'> {
  /** @default those of this package */
  readonly adapters: ModelAdapterRegistry | undefined;
  readonly tools: ToolSource | undefined;
}

/** The model in the adapters of its family, and those in the tool loop. */
export function composeModel(
  model: LanguageModelV2,
  { adapters, tools, toolLoop = {}, timeouts = {} }: ComposeModelOptions,
): LanguageModelV2 {
  // Inside the loop: what the model wrote as text is a call by the time the loop looks.
  const adapted = adaptModel(model, { adapters });
  if (toolLoop === false) return adapted;
  // Without tools, too: a call may bring its own.
  const loopTimeouts = { tool: timeouts.tool, total: timeouts.total };
  return createToolLoop(
    adapted,
    { ...toolLoop, tools: tools ?? [], timeouts: loopTimeouts },
    { isHostedTool: isHostedToolPart },
  );
}
