import type { ConversationMode, Retention } from '../../shared/playground-state.js';
import type { Connection } from './sqlite.js';

/**
 * The recorded requests, responses and events of turns, which are deleted by age and size: in chats the recording alone, of
 * applications the turn. The outline of a turn stays in its chat, and says that the recording was deleted.
 */
export interface RecordingStore {
  /** Notes the time and the size of a stored turn. */
  add(place: RecordingPlace, at: string): void;
  /** Deletes recordings that are too old, and the oldest ones if all of them are too large. The newest one stays. */
  prune(retention: Retention): void;
}

interface RecordingPlace {
  readonly conversationId: string;
  readonly messageId: string;
}

/** The trace of a turn whose recording was deleted. */
export const NO_RECORDING = '[]';

export function createRecordingStore(database: Connection): RecordingStore {
  // The turns of a conversation share pieces. Their bytes count for the turn that brought them, or else for the oldest one.
  const unknownBytes = `
    (SELECT TOTAL(octet_length(trace)) FROM messages WHERE conversation_id = @conversationId)
    + (SELECT TOTAL(octet_length(json)) FROM pieces WHERE conversation_id = @conversationId)
    - (SELECT TOTAL(size) FROM recordings WHERE conversation_id = @conversationId)`;
  const insert = database.prepare<[RecordingPlace & { at: string }]>(
    `INSERT INTO recordings (conversation_id, message_id, at, size)
     VALUES (@conversationId, @messageId, @at, ${unknownBytes})`,
  );
  const statements = {
    unknown: database.prepare<[], RecordingPlace & { at: string }>(
      `SELECT conversations.id AS conversationId, messages.id AS messageId,
         COALESCE(outline ->> '$[0].startedAt', updated_at) AS at
       FROM messages JOIN conversations ON conversations.id = messages.conversation_id
       WHERE end IS NOT NULL AND octet_length(trace) > ${NO_RECORDING.length} AND NOT EXISTS (
         SELECT 1 FROM recordings
         WHERE recordings.conversation_id = conversations.id AND message_id = messages.id
       ) ORDER BY number`,
    ),
    expired: database.prepare<[string, number], RecordingPlace & { mode: ConversationMode }>(
      `SELECT conversation_id AS conversationId, message_id AS messageId, mode FROM (
         SELECT *, SUM(size) OVER newest AS total, ROW_NUMBER() OVER newest AS place
         FROM recordings WINDOW newest AS (ORDER BY at DESC, message_id)
       ) JOIN conversations ON conversations.id = conversation_id
       WHERE place > 1 AND (at < ? OR total > ?)`,
    ),
    deleteTurn: database.prepare<[string]>('DELETE FROM conversations WHERE id = ?'),
    deleteTrace: database.prepare<[RecordingPlace]>(
      `UPDATE messages
       SET trace = '${NO_RECORDING}', outline = json_insert(outline, '$[#]', json('{"type":"recording-deleted","at":0}'))
       WHERE conversation_id = @conversationId AND id = @messageId`,
    ),
    deleteSize: database.prepare<[RecordingPlace]>(
      'DELETE FROM recordings WHERE conversation_id = @conversationId AND message_id = @messageId',
    ),
    completeOldest: database.prepare<[{ conversationId: string }]>(
      `UPDATE recordings SET size = size + ${unknownBytes}
       WHERE conversation_id = @conversationId AND message_id =
         (SELECT message_id FROM recordings WHERE conversation_id = @conversationId ORDER BY at LIMIT 1)`,
    ),
    traces: database.prepare<[string], { trace: string }>(
      'SELECT trace FROM messages WHERE conversation_id = ?',
    ),
    hashes: database.prepare<[string], { hash: string }>('SELECT hash FROM pieces WHERE conversation_id = ?'),
    piece: database.prepare<[string, string], { json: string }>(
      'SELECT json FROM pieces WHERE conversation_id = ? AND hash = ?',
    ),
    deletePiece: database.prepare<[string, string]>(
      'DELETE FROM pieces WHERE conversation_id = ? AND hash = ?',
    ),
  };

  /** Deletes the pieces to which no trace of a conversation refers. */
  function sweep(conversationId: string): void {
    const used = new Set<string>();
    const visit = (json: string): void => {
      for (const [, hash = ''] of json.matchAll(/"\$piece":"([\w-]+)"/g)) {
        if (used.has(hash)) continue;
        used.add(hash);
        visit(statements.piece.get(conversationId, hash)?.json ?? '');
      }
    };
    for (const { trace } of statements.traces.all(conversationId)) visit(trace);
    for (const { hash } of statements.hashes.all(conversationId))
      if (!used.has(hash)) statements.deletePiece.run(conversationId, hash);
  }

  /** Returns true if something was deleted. */
  const deleteExpired = database.transaction(({ days, megabytes }: Retention): boolean => {
    const oldest = new Date(Date.now() - days * 86_400_000).toISOString();
    const expired = statements.expired.all(oldest, megabytes * 1_000_000);
    const chats = new Set<string>();
    for (const { mode, ...place } of expired) {
      if (mode === 'app') {
        statements.deleteTurn.run(place.conversationId);
        continue;
      }
      statements.deleteTrace.run(place);
      statements.deleteSize.run(place);
      chats.add(place.conversationId);
    }
    for (const conversationId of chats) {
      sweep(conversationId);
      statements.completeOldest.run({ conversationId });
    }
    return expired.length > 0;
  });

  // Turns that an earlier version has stored.
  database.transaction(() => {
    for (const place of statements.unknown.all()) insert.run(place);
  })();

  return {
    add: (place, at) => void insert.run({ ...place, at }),
    prune(retention) {
      // Less than the size of a recording is free if later ones share its pieces.
      while (deleteExpired(retention));
    },
  };
}
