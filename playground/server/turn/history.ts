import type { PlaygroundMessage, StoredMessage } from '../../shared/playground-state.js';

type Part = PlaygroundMessage['parts'][number];

/**
 * Converts stored messages to the history for an endpoint. Reasoning and item ids of other servers are removed, because
 * servers reject encrypted reasoning that they did not create.
 */
export const toHistory = (
  messages: readonly StoredMessage[],
  { baseURL }: { baseURL: string },
): PlaygroundMessage[] =>
  messages
    .map(stored => (isFrom(baseURL, stored) ? stored.message : withoutOrigin(stored.message)))
    // Responses that failed before their first part are skipped.
    .filter(({ parts }) => parts.some(({ type }) => type !== 'step-start'));

function isFrom(baseURL: string, { outline }: StoredMessage): boolean {
  const { origin } = new URL(baseURL);
  return outline.every(event => event.type !== 'request' || new URL(event.url).origin === origin);
}

const withoutOrigin = (message: PlaygroundMessage): PlaygroundMessage => ({
  ...message,
  parts: message.parts.filter(({ type }) => type !== 'reasoning').map(withoutMetadata),
});

function withoutMetadata(part: Part): Part {
  const { providerMetadata, callProviderMetadata, ...rest } = part as Part & Record<string, unknown>;
  return rest as Part;
}
