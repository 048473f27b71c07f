import { type EmulatorRequest, startResponsesEmulator } from 'kelivo-responses/testing';
import type { Settings } from '../../shared/playground-state.js';
import { planFault } from '../emulator/faults.js';
import { toReplayScript } from '../emulator/replay.js';
import { LATENCY, type SharedEmulator } from '../emulator/shared-emulator.js';
import type { FixtureExchange } from '../bug-report.js';
import type { KeySafe } from '../keys.js';

/** The endpoint of one turn. */
export interface Target {
  readonly baseURL: string;
  readonly apiKey: string | undefined;
  /** Display name. */
  readonly name: string;
  /** Fault of the emulator. */
  readonly fault?: string;
  /** Received requests; only the emulator reports them. */
  readonly requests?: readonly EmulatorRequest[];
  close(): Promise<void>;
}

export interface OpenTargetOptions {
  readonly keys: KeySafe;
  readonly emulator: SharedEmulator;
  /** Recorded responses that the emulator serves in order. @default the emulator's own */
  readonly replay?: readonly FixtureExchange[];
}

/**
 * Opens the endpoint of the settings. A fault or a replay starts a separate emulator, so that parallel turns do not
 * consume each other's responses.
 */
export async function openTarget(
  { endpoint, fault, faultRequest }: Pick<Settings, 'endpoint' | 'fault' | 'faultRequest'>,
  { keys, emulator: shared, replay }: OpenTargetOptions,
): Promise<Target> {
  if (endpoint !== 'emulator') {
    return {
      baseURL: endpoint,
      apiKey: keys.keyFor(endpoint),
      name: withoutQuery(endpoint),
      close: async () => {},
    };
  }
  const plan =
    replay === undefined
      ? planFault(fault, { request: faultRequest })
      : { options: { latency: 0 }, script: toReplayScript(replay, { fault }) };
  const emulator =
    plan === undefined
      ? await shared.open()
      : await startResponsesEmulator({ latency: LATENCY, allowedOrigins: [], ...plan.options });
  emulator.enqueue(...(plan?.script ?? []));
  return {
    baseURL: emulator.baseURL,
    apiKey: undefined,
    name: replay === undefined ? 'emulator' : 'emulator, replaying a recording',
    ...(plan !== undefined && fault !== 'none' && { fault }),
    requests: emulator.requests,
    close: async () => {
      if (plan !== undefined) await emulator.close();
    },
  };
}

/** Removes the query, which may contain a key. */
function withoutQuery(endpoint: string): string {
  const { origin, pathname } = new URL(endpoint);
  return origin + pathname;
}
