import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';

/** Access to a running playground. Other programs and users of this machine can reach its port, but lack its token. */
export interface Session {
  /** Part of the printed address. Random per start and renewal. */
  readonly token: string;
  /** Makes the token invalid. Returns the next one. */
  renew(): string;
  /**
   * Rejects every request whose `Authorization` header lacks the token. A browser adds no such header by itself, unlike a
   * cookie, which it sends to every port of this machine.
   */
  readonly guard: MiddlewareHandler;
}

const createToken = (): string => randomBytes(32).toString('base64url');

/** @param onRenew Called after the token was replaced. */
export function createSession(onRenew = (): void => {}): Session {
  let token = createToken();
  return {
    get token() {
      return token;
    },
    renew() {
      token = createToken();
      onRenew();
      return token;
    },
    async guard(context, next) {
      const given = /^Bearer (\S+)$/i.exec(context.req.header('authorization') ?? '')?.[1];
      if (isEqual(given ?? '', token)) return next();
      const error =
        'This playground belongs to whoever started it. Open the address that it printed in the terminal: it contains a ' +
        'token. A restart or “New token” in the settings of the page replaces it.';
      return context.json({ error }, 401);
    },
  };
}

/** Compares digests, so that the time does not depend on the number of equal characters. */
export const isEqual = (first: string, second: string): boolean =>
  timingSafeEqual(createHash('sha256').update(first).digest(), createHash('sha256').update(second).digest());
