import type { CoreCall } from '../../core/call.js';
import type { ToolChoice } from '../../core/prompt.js';
import type { RoundChanges, RoundSettings } from '../features/feature.js';

export interface PreparedRound {
  /** The request without the settings of the round. Later rounds begin with it. */
  readonly request: CoreCall;
  readonly settings: RoundChanges['settings'];
}

/** Returns the request that is sent: with the settings of the round. */
export function withSettings({ request, settings }: PreparedRound): CoreCall {
  if (settings === undefined) return request;
  const { toolChoice, activeTools: _, providerOptions = {}, system, ...model } = settings;
  const { kelivo, ...others } = providerOptions;
  const joined = Object.entries(others).map(([name, values]) => [
    name,
    { ...request.providerOptions?.[name], ...values },
  ]);
  const defined = Object.fromEntries(Object.entries(model).filter(([, value]) => value !== undefined));
  return {
    ...request,
    ...defined,
    ...(joined.length > 0 && {
      providerOptions: { ...request.providerOptions, ...Object.fromEntries(joined) },
    }),
    ...(kelivo !== undefined && { own: { ...request.own, ...kelivo } }),
    // A limit, or the host, forbids calls.
    ...(toolChoice !== undefined &&
      request.toolChoice?.type !== 'none' && { toolChoice: toToolChoice(toolChoice) }),
    ...(system !== undefined && {
      prompt: [
        { role: 'system' as const, content: system },
        ...request.prompt.filter(({ role }) => role !== 'system'),
      ],
    }),
  };
}

const toToolChoice = (choice: NonNullable<RoundSettings['toolChoice']>): ToolChoice =>
  typeof choice === 'string' ? { type: choice } : choice;
