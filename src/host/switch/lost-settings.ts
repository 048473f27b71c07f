import type { CoreCall } from '../../core/call.js';
import { findOverrides } from '../../provider/model-overrides.js';
import type { KelivoResponsesSettings } from '../../provider/settings.js';
import type { ToolLoopCallOptions } from '../../tool-loop/index.js';

/**
 * The effect of each setting while a model is switched to the official package. `connection`: the official package sends
 * its requests with it. `request`: it is written into the requests. `loop`: the adapters and the tool loop around the
 * official model apply it; without them a warning names it. `tools`: the tools run, in the loop or in that of the host.
 * `client`: it belongs to the client of this package, and a warning names it.
 */
type Fate = 'connection' | 'request' | 'loop' | 'tools' | 'client';

const FATE_OF_SETTING: Readonly<Record<keyof KelivoResponsesSettings, Fate>> = {
  name: 'connection',
  baseURL: 'connection',
  api: 'connection',
  apiKey: 'connection',
  organization: 'connection',
  project: 'connection',
  headers: 'connection',
  query: 'connection',
  fetch: 'connection',
  logger: 'connection',
  compression: 'connection',
  telemetry: 'connection',
  timeouts: 'connection',
  models: 'request',
  store: 'request',
  systemMessageMode: 'request',
  tools: 'tools',
  mcpServers: 'tools',
  mcp: 'tools',
  toolLoop: 'loop',
  adapters: 'loop',
  toolPrompting: 'loop',
  startsInReasoning: 'loop',
  undeclared: 'loop',
  streamArgumentsFrom: 'loop',
  responseTemplate: 'loop',
  compatibility: 'client',
  transport: 'client',
  webSocket: 'client',
  missingReasoning: 'client',
  extensions: 'client',
  historySecret: 'connection',
};

/** Values that change nothing. */
const NEUTRAL: Partial<Record<keyof KelivoResponsesSettings, unknown>> = {
  transport: 'http',
  missingReasoning: 'omit-ids',
  toolLoop: false,
  adapters: false,
  toolPrompting: false,
};

/** Options of a call that only the tool loop applies. */
const LOOP_OPTIONS = [
  'prepareRound',
  'stopWhen',
  'maxCost',
  'maxTokens',
  'step',
  'toolApproval',
  'steering',
] as const satisfies readonly (keyof ToolLoopCallOptions)[];

/** Returns the names of the settings that do not apply to a model while it is switched off. */
export function findLostSettings(
  modelId: string,
  settings: KelivoResponsesSettings,
  { hasLoop }: { hasLoop: boolean },
): readonly string[] {
  const isLost = ([name, value]: [string, unknown]): boolean => {
    const fate = (FATE_OF_SETTING as Readonly<Record<string, Fate | undefined>>)[name];
    const isApplied = fate !== 'client' && (fate !== 'loop' || hasLoop);
    return (
      !isApplied && value !== undefined && (NEUTRAL as Readonly<Record<string, unknown>>)[name] !== value
    );
  };
  const names = (owner: object): string[] =>
    Object.entries(owner)
      .filter(isLost)
      .map(([name]) => name);
  const ofSettings = names(settings).flatMap(name =>
    name === 'toolLoop' ? findLostLimits(settings.toolLoop) : [name],
  );
  const ofModel = findOverrides(modelId, settings.models ?? {}).flatMap(override => names(override));
  return [...ofSettings, ...ofModel.map(name => `models[…].${name}`)];
}

/** The host's runs of declared tools ask for approval as the loop does, if the application decides on them. */
function findLostLimits(toolLoop: KelivoResponsesSettings['toolLoop']): string[] {
  if (toolLoop === false || toolLoop === undefined) return [];
  const lost = (Object.keys(toolLoop) as (keyof typeof toolLoop)[]).filter(
    name => name !== 'approvals' && (name !== 'approve' || toolLoop.approve === 'host'),
  );
  return lost.filter(name => toolLoop[name] !== undefined).map(name => `toolLoop.${name}`);
}

/** Returns the names of the options of a call that do not apply without a tool loop. */
export const findLostOptions = (call: CoreCall): readonly string[] =>
  LOOP_OPTIONS.filter(name => call.own[name] !== undefined);
