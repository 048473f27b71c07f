import { createTimeLimit, untilAborted } from '../../shared/abort.js';
import { toHex } from '../../shared/hash.js';
import { toStableJson } from '../../shared/json.js';
import { once } from '../../shared/settings.js';

/*
 * The ids of approval requests. They are signed, because they return in the messages of a client.
 */

/** Settings for verifying a host's approvals in every process that may receive them. */
export interface HostApprovalOptions {
  /**
   * Signs the approval ids: a random text of at least 32 characters, the same in all processes of the application and
   * unknown to its clients.
   */
  readonly secret: string;
  /**
   * Claims an approval, so that it is used once. It must be atomic over all processes, and return true for the first
   * caller only, for example with `SET key 1 NX PXAT expiresAt` of Redis. `expiresAt` is the time in milliseconds since
   * 1970 until which the claim has to be kept. If it fails or takes more than five seconds, the call does not run.
   */
  readonly claim: (
    approvalId: string,
    options: { readonly expiresAt: number },
  ) => boolean | PromiseLike<boolean>;
  /**
   * Time in milliseconds for which an approval request can be answered.
   * @default 86400000, one day
   */
  readonly expiresAfter?: number;
}

/** A call as a person approves it. */
export interface ApprovableCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly server: string | undefined;
  readonly originalName: string;
  readonly input: unknown;
}

const DAY = 86_400_000;
/** Time limit of a claim in milliseconds. */
const CLAIM_TIMEOUT = 5000;

/** Creates and verifies the ids of approval requests. */
export function createApprovalIds(options: HostApprovalOptions | undefined) {
  const { secret = secretOfProcess(), claim = claimInProcess, expiresAfter = DAY } = options ?? {};
  const key = once(() => importKey(secret));

  return {
    /** True if other processes can verify the ids. */
    isShared: options !== undefined,

    async create(call: ApprovableCall): Promise<string> {
      const nonce = crypto.randomUUID();
      const issuedAt = Date.now();
      const signature = await crypto.subtle.sign('HMAC', await key(), toSigned(call, { nonce, issuedAt }));
      return [PREFIX, nonce, issuedAt.toString(36), toHex(new Uint8Array(signature))].join('.');
    },

    /** Returns undefined if the id was not created for exactly this call, with the secret of this process. */
    async verify(approvalId: string, call: ApprovableCall) {
      const [prefix, nonce = '', time = '', signature = ''] = approvalId.split('.');
      const issuedAt = Number.parseInt(time, 36);
      if (prefix !== PREFIX || approvalId !== [prefix, nonce, time, signature].join('.')) return undefined;
      const isValid = await crypto.subtle.verify(
        'HMAC',
        await key(),
        fromHex(signature),
        toSigned(call, { nonce, issuedAt }),
      );
      return isValid ? { nonce, isExpired: Date.now() > issuedAt + expiresAfter } : undefined;
    },

    /** Returns true for the first caller. Rejects if the claim cannot be stored. */
    async claim(nonce: string, signal: AbortSignal): Promise<boolean> {
      const message = `the claim was not stored within ${CLAIM_TIMEOUT} ms`;
      const limit = createTimeLimit(signal, { milliseconds: CLAIM_TIMEOUT, message });
      try {
        const claiming = (async () =>
          claim(`${PREFIX}.${nonce}`, { expiresAt: Date.now() + expiresAfter }))();
        return (await untilAborted(claiming, limit.signal)) === true;
      } finally {
        limit.release();
      }
    },
  };
}

const PREFIX = 'kelivo';

function toSigned(
  { toolCallId, toolName, server, originalName, input }: ApprovableCall,
  { nonce, issuedAt }: { nonce: string; issuedAt: number },
): Uint8Array<ArrayBuffer> {
  const contents = [nonce, issuedAt, toolCallId, toolName, server ?? null, originalName, input];
  return new TextEncoder().encode(toStableJson(contents));
}

const importKey = async (secret: string): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', new TextEncoder().encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ]);

const fromHex = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text.match(/../g) ?? [], byte => Number.parseInt(byte, 16));

/** The secret of processes without one in their settings. Providers that are created for each request share it. */
const secretOfProcess = once(() => toHex(crypto.getRandomValues(new Uint8Array(32))));

/** Claims of this process with the times at which they expire. */
const claims = new Map<string, number>();

function claimInProcess(approvalId: string, { expiresAt }: { expiresAt: number }): boolean {
  for (const [claimed, end] of claims) {
    if (end > Date.now()) break;
    claims.delete(claimed);
  }
  if (claims.has(approvalId)) return false;
  claims.set(approvalId, expiresAt);
  return true;
}
