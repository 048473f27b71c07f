import { createOAuthProvider, type McpServerConfig } from 'kelivo-responses/mcp';
import { describeFailure } from '../../shared/failure.js';
import type { SignInStep } from '../../shared/mcp-inspection.js';
import type { Credentials } from './credentials.js';

/** The path to which authorization servers return the user. */
export const CALLBACK_PATH = '/oauth/callback';

const MAX_STEPS = 100;

/** The sign-in of one server: its provider, and its HTTP requests as steps. */
export function createSignIn(
  config: McpServerConfig,
  { redirectUrl, credentials }: { redirectUrl: () => string; credentials: Credentials },
) {
  const steps: SignInStep[] = [];
  const isHttp = 'url' in config;
  const hasToken = isHttp && Object.keys(config.headers ?? {}).some(name => /^authorization$/i.test(name));
  return {
    steps,
    isSignedIn: () => isHttp && credentials.isSignedIn(config.url),
    signOut(): void {
      if (isHttp) credentials.remove(config.url);
      steps.length = 0;
    },
    /** Returns the configuration with an OAuth provider, unless it needs none. */
    configure: (): McpServerConfig =>
      isHttp && !hasToken && config.authProvider === undefined
        ? {
            ...config,
            authProvider: createOAuthProvider({
              serverUrl: config.url,
              redirectUrl: redirectUrl(),
              clientName: 'kelivo-responses playground',
              store: credentials,
            }),
          }
        : config,
    /** Records the requests that belong to a sign-in: rejected ones, and those to other addresses. */
    async fetch(input: string | URL, init?: RequestInit): Promise<Response> {
      const { origin, pathname } = new URL(input);
      const step = { time: Date.now(), method: init?.method ?? 'GET', url: origin + pathname };
      const isServer = isHttp && new URL(config.url).pathname === pathname;
      const record = (result: number | string): void => {
        steps.push({ ...step, result });
        if (steps.length > MAX_STEPS) steps.shift();
      };
      try {
        const response = await fetch(input, init);
        if (!isServer || response.status === 401 || response.status === 403) record(response.status);
        return response;
      } catch (error) {
        if (!isServer) record(describeFailure(error));
        throw error;
      }
    },
  };
}
