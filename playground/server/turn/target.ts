import { type EmulatorRequest, startResponsesEmulator } from 'kelivo-responses/testing';
import type { Settings } from '../../shared/playground-state.js';
import { planFault } from '../emulator/faults.js';
import { LATENCY, type SharedEmulator } from '../emulator/shared-emulator.js';
import type { KeySafe } from '../keys.js';

/** Where the requests of one turn go. */
export interface Target {
  readonly baseURL: string;
  readonly apiKey: string | undefined;
  /** How it is called in front of the user. */
  readonly name: string;
  /** What the emulator was told to do wrong. */
  readonly fault?: string;
  /** What arrived, where that can be known: at the emulator. */
  readonly requests?: readonly EmulatorRequest[];
  close(): Promise<void>;
}

export interface OpenTargetOptions {
  readonly keys: KeySafe;
  readonly emulator: SharedEmulator;
}

/**
 * The endpoint of the settings. A fault gets an emulator of its own, so that turns side by side do not use up each
 * other's faults.
 */
export async function openTarget(
  { endpoint, fault, faultRequest }: Pick<Settings, 'endpoint' | 'fault' | 'faultRequest'>,
  { keys, emulator: shared }: OpenTargetOptions,
): Promise<Target> {
  if (endpoint !== 'emulator') {
    return {
      baseURL: endpoint,
      apiKey: keys.keyFor(endpoint),
      name: withoutQuery(endpoint),
      close: async () => {},
    };
  }
  const plan = planFault(fault, { request: faultRequest });
  const emulator =
    plan === undefined
      ? await shared.open()
      : await startResponsesEmulator({ latency: LATENCY, ...plan.options });
  emulator.enqueue(...(plan?.script ?? []));
  return {
    baseURL: emulator.baseURL,
    apiKey: undefined,
    name: 'emulator',
    ...(plan !== undefined && { fault }),
    requests: emulator.requests,
    close: async () => {
      if (plan !== undefined) await emulator.close();
    },
  };
}

/** A query may hold a key. */
function withoutQuery(endpoint: string): string {
  const { origin, pathname } = new URL(endpoint);
  return origin + pathname;
}
