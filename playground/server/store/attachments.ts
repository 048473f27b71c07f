import { createHash } from 'node:crypto';
import {
  ATTACHMENT_LIMITS,
  ATTACHMENT_TYPES,
  type PlaygroundMessage,
} from '../../shared/playground-state.js';
import type { Connection } from './sqlite.js';

/** A stored file. */
export interface Attachment {
  readonly mediaType: string;
  readonly data: Buffer;
}

/** Files of messages. A message refers to them by URL, so that pages load a file once and not with each event. */
export interface AttachmentStore {
  /**
   * Stores the files of a message that are data URLs.
   *
   * @returns the message with URLs of stored files.
   */
  store(conversationId: string, message: PlaygroundMessage): PlaygroundMessage;
  /** Returns the message with data URLs, as a model receives it. */
  inline(conversationId: string, message: PlaygroundMessage): PlaygroundMessage;
  read(conversationId: string, hash: string): Attachment | undefined;
}

type Part = PlaygroundMessage['parts'][number];
export type FilePart = Extract<Part, { type: 'file' }>;

export function createAttachmentStore(database: Connection): AttachmentStore {
  const insert = database.prepare(
    'INSERT INTO attachments (conversation_id, hash, media_type, data) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const select = database.prepare<[string, string], { media_type: string; data: Uint8Array }>(
    'SELECT media_type, data FROM attachments WHERE conversation_id = ? AND hash = ?',
  );
  const read: AttachmentStore['read'] = (conversationId, hash) => {
    const row = select.get(conversationId, hash);
    return row && { mediaType: row.media_type, data: Buffer.from(row.data) };
  };

  return {
    read,
    store: (conversationId, message) =>
      mapFiles(message, part => {
        const file = readDataUrl(part.url);
        if (file === undefined) return part;
        const hash = createHash('sha256').update(file.data).digest('hex').slice(0, 32);
        insert.run(conversationId, hash, file.mediaType, file.data);
        return { ...part, url: toAttachmentUrl(conversationId, hash) };
      }),
    inline: (conversationId, message) =>
      mapFiles(message, part => {
        const file = read(conversationId, toHash(part.url));
        if (file === undefined) return part;
        return { ...part, url: `data:${file.mediaType};base64,${file.data.toString('base64')}` };
      }),
  };
}

/**
 * Returns the reason why the files of a message cannot be stored.
 *
 * @param read Returns a stored file of the conversation.
 */
export function findFileProblem(
  parts: PlaygroundMessage['parts'],
  { read }: { read: (hash: string) => Attachment | undefined },
): string | undefined {
  const files = parts.filter(part => part.type === 'file');
  if (files.length > ATTACHMENT_LIMITS.count)
    return `Expected at most ${ATTACHMENT_LIMITS.count} files, got ${files.length}.`;
  let sum = 0;
  for (const { url, mediaType, filename = 'A file' } of files) {
    const file = readDataUrl(url) ?? read(toHash(url));
    if (file === undefined) return `${filename} is not stored in this conversation. Attach it again.`;
    if (file.mediaType !== mediaType || !ATTACHMENT_TYPES.includes(mediaType))
      return `Expected a PNG, JPEG, GIF or WebP image or a PDF, got ${filename} with the type ${file.mediaType}.`;
    if (file.data.length > ATTACHMENT_LIMITS.file)
      return `Expected files of at most ${toMegabytes(ATTACHMENT_LIMITS.file)}, got ${filename} with ${toMegabytes(file.data.length)}.`;
    sum += file.data.length;
  }
  return sum > ATTACHMENT_LIMITS.message
    ? `Expected files of at most ${toMegabytes(ATTACHMENT_LIMITS.message)} in a message, got ${toMegabytes(sum)}.`
    : undefined;
}

/** Describes a file for exports, which do not contain it: no search finds secrets in images and documents. */
export const describeFile = (
  { type, mediaType, filename, url }: FilePart,
  { read }: { read: (hash: string) => Attachment | undefined },
) => ({ type, mediaType, filename, bytes: read(toHash(url))?.data.length, hash: toHash(url) });

const toMegabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

const toAttachmentUrl = (conversationId: string, hash: string): string =>
  `/api/conversations/${conversationId}/attachments/${hash}`;

const toHash = (url: string): string => /^\/api\/.*\/attachments\/([0-9a-f]{32})$/.exec(url)?.[1] ?? '';

function readDataUrl(url: string): Attachment | undefined {
  const comma = url.indexOf(',');
  const mediaType = /^data:([\w.+-]+\/[\w.+-]+);base64$/.exec(url.slice(0, Math.max(0, comma)))?.[1];
  return mediaType === undefined
    ? undefined
    : { mediaType, data: Buffer.from(url.slice(comma + 1), 'base64') };
}

const mapFiles = (message: PlaygroundMessage, change: (part: FilePart) => FilePart): PlaygroundMessage => ({
  ...message,
  parts: message.parts.map(part => (part.type === 'file' ? change(part) : part)),
});
