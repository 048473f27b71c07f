import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { ClientCredentialsProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js';

export interface SignIn {
  readonly provider: OAuthClientProvider;
  /** Returns the authorization code of the browser redirect once. */
  takeCode(): string | undefined;
}

/** Signs in with the credentials of the scenario's context, or as a user in a browser that always agrees. */
export function createSignIn(context: string | undefined): SignIn {
  const credentials: { client_id?: string; client_secret?: string } = JSON.parse(context ?? '{}');
  const { client_id: clientId, client_secret: clientSecret } = credentials;
  if (clientId !== undefined && clientSecret !== undefined) {
    return {
      provider: new ClientCredentialsProvider({ clientId, clientSecret }),
      takeCode: () => undefined,
    };
  }
  return createBrowserSignIn();
}

function createBrowserSignIn(): SignIn {
  const redirectUrl = 'http://localhost:3000/callback';
  let code: string | undefined;
  let verifier = '';
  let information: Awaited<ReturnType<OAuthClientProvider['clientInformation']>>;
  let tokens: Awaited<ReturnType<OAuthClientProvider['tokens']>>;

  return {
    provider: {
      redirectUrl,
      clientMetadata: { client_name: 'kelivo-responses', redirect_uris: [redirectUrl] },
      clientInformation: () => information,
      saveClientInformation: saved => {
        information = saved;
      },
      tokens: () => tokens,
      saveTokens: saved => {
        tokens = saved;
      },
      saveCodeVerifier: saved => {
        verifier = saved;
      },
      codeVerifier: () => verifier,
      async redirectToAuthorization(url) {
        const { headers } = await fetch(url, { redirect: 'manual' });
        code = new URL(headers.get('location') ?? '', url).searchParams.get('code') ?? undefined;
      },
    },
    takeCode() {
      const taken = code;
      code = undefined;
      return taken;
    },
  };
}
