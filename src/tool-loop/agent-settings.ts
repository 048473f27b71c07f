import type { HostTools } from '../tools/host-tools.js';

/** Settings for the loop of the host: `ToolLoopAgent`, `generateText` and `streamText` of `ai` 6 and 7. */
export interface AgentSettings {
  /** The tools of the provider, which the host runs. Approvals, time limits and output limits are those of `toolLoop`. */
  tools: HostTools;
  /**
   * Tells the models of the provider that the host runs their tools, also in a step without any. Merge it with your own
   * options: `{ kelivo: { …, ...settings.providerOptions.kelivo } }`.
   */
  providerOptions: { kelivo: { runBy: string } };
  /** Ends the turn after `maxRounds` steps. */
  stopWhen: (options: { steps: readonly unknown[] }) => boolean;
  /** Forbids calls in the step after `maxToolCalls` calls, and in the last one, so that the turn ends with an answer. */
  prepareStep: (options: {
    stepNumber: number;
    steps: readonly { readonly toolCalls?: readonly unknown[] }[];
  }) => { toolChoice?: 'none' };
}
