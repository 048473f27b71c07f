import type { HostTools } from '../tools/host-tools.js';
import type { StepTool } from '../tools/step-tools.js';

/** Settings for the loop of the host: `ToolLoopAgent`, `generateText` and `streamText` of `ai` 6 and 7. */
export interface AgentSettings {
  /** The tools of the provider, which the host runs. Approvals, time limits and output limits are those of `toolLoop`. */
  tools: HostTools;
  /**
   * Tells the models of the provider that the host runs their tools, also in a step without any. Merge it with your own
   * options: `{ kelivo: { …, ...settings.providerOptions.kelivo } }`.
   */
  providerOptions: { kelivo: { runBy: string; turnId?: string; scope?: string } };
  /** Ends the turn after `maxRounds` steps. */
  stopWhen: (options: { steps: readonly unknown[] }) => boolean;
  /** Forbids calls in the step after `maxToolCalls` calls, and in the last one, so that the turn ends with an answer. */
  prepareStep: (options: {
    stepNumber: number;
    steps: readonly { readonly toolCalls?: readonly unknown[] }[];
  }) => { toolChoice?: 'none' };
}

/** Settings for a host of `ai` 6 and 7 that takes a step for each round, while the provider runs the tools. */
export interface StepSettings {
  /**
   * Declarations of the tools of the provider. A step ends with the calls of a round, and their results arrive with the next
   * one. A step offers the tools that the host declares in it.
   */
  tools: Record<string, StepTool>;
  /** Tells the models of the provider that the host takes steps. Merge it with your own options. */
  providerOptions: { kelivo: { runBy: string; turnId?: string; scope?: string } };
  /** Ends the turn at a request for an approval, and after a step that failed. Limits are those of `toolLoop`. */
  stopWhen: (options: {
    steps: readonly {
      readonly finishReason?: unknown;
      readonly content?: readonly { readonly type: string }[];
    }[];
  }) => boolean;
  /** Tells the models which step of a call of the host it is. */
  prepareStep: (options: { stepNumber: number }) => {
    providerOptions: { kelivo: { runBy: string; hostStep: number } };
  };
}

/** Options of `agentSettings`. */
export interface AgentSettingsOptions {
  /** Who runs the tools: the host, in its own loop, or the provider, between the steps of the host. @default 'host' */
  runBy?: 'host' | 'provider';
  /**
   * `providerOptions.kelivo.turnId` of the run. With a `journal` of `toolLoop`, its rounds and its calls are recorded, so that a
   * run that is repeated, in any process, repeats none of them.
   * @default the run is not recorded
   */
  turnId?: string;
  /** `providerOptions.kelivo.scope` of the run, its owner. Required if the journal has a `scope` function and the host runs the tools. */
  scope?: string;
}

/** Returns settings for the loop of a host. */
export interface CreateAgentSettings {
  (options: AgentSettingsOptions & { runBy: 'provider' }): Promise<StepSettings>;
  (options?: AgentSettingsOptions & { runBy?: 'host' }): Promise<AgentSettings>;
}
