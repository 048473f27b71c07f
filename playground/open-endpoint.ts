import { startResponsesEmulator } from 'kelivo-responses/testing';

/** Where the demo sends its requests. */
export interface Endpoint {
  readonly baseURL: string;
  /** The address without what could be a secret in it. */
  readonly address: string;
  readonly isEmulator: boolean;
  readonly hasKey: boolean;
  close(): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

const OPENAI = 'https://api.openai.com/v1';

/** Milliseconds before each event of the emulator: about as fast as a model writes. */
const LATENCY = 15;

/** The endpoint that the environment names, else the emulator, started for this demo. */
export async function openEndpoint({
  OPENAI_API_KEY: key,
  OPENAI_BASE_URL: url,
}: Environment): Promise<Endpoint> {
  if (key || url) {
    const baseURL = url || OPENAI;
    return {
      baseURL,
      address: withoutSecrets(baseURL),
      isEmulator: false,
      hasKey: Boolean(key),
      close: async () => {},
    };
  }
  const { baseURL, close } = await startResponsesEmulator({ latency: LATENCY });
  return { baseURL, address: baseURL, isEmulator: true, hasKey: false, close };
}

/** User names, passwords and queries (`?key=…`) are left out. What is no URL is the provider's to refuse. */
function withoutSecrets(baseURL: string): string {
  if (!URL.canParse(baseURL)) return '(no URL)';
  const { protocol, host, pathname } = new URL(baseURL);
  return `${protocol}//${host}${pathname}`;
}
