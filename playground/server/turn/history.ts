import type { PlaygroundMessage, StoredMessage } from '../../shared/playground-state.js';

type Part = PlaygroundMessage['parts'][number];

/**
 * The messages as a model of this endpoint can be told them. Reasoning and the ids of items mean something only where
 * they were made: encrypted reasoning of another server is refused.
 */
export const toHistory = (
  messages: readonly StoredMessage[],
  { baseURL }: { baseURL: string },
): PlaygroundMessage[] =>
  messages
    .map(stored => (isFrom(baseURL, stored) ? stored.message : withoutOrigin(stored.message)))
    // An answer that failed before its first word says nothing.
    .filter(({ parts }) => parts.some(({ type }) => type !== 'step-start'));

function isFrom(baseURL: string, { trace }: StoredMessage): boolean {
  const { origin } = new URL(baseURL);
  return trace.every(event => event.type !== 'request' || new URL(event.url).origin === origin);
}

const withoutOrigin = (message: PlaygroundMessage): PlaygroundMessage => ({
  ...message,
  parts: message.parts.filter(({ type }) => type !== 'reasoning').map(withoutMetadata),
});

function withoutMetadata(part: Part): Part {
  const { providerMetadata, callProviderMetadata, ...rest } = part as Part & Record<string, unknown>;
  return rest as Part;
}
