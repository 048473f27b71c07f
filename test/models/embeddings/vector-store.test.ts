import { embed, embedMany, type EmbeddingModel } from 'ai';
import Database from 'libsql';
import * as sqliteVec from 'sqlite-vec';
import { expect, it, onTestFinished } from 'vitest';
import {
  type EmbeddingIdentity,
  embeddingIdentity,
  EmbeddingMismatchError,
  pinEmbeddingModel,
} from '../../../src/models/embeddings/index.js';
import { createKelivoResponsesProvider } from '../../../src/index.js';
import { startEmulator } from '../../testing/_emulator.js';

const notes = [
  'The cat sleeps on the warm sofa',
  'Interest rates were raised by the central bank',
  'The dog chases the cat in the garden',
  'The bank lends money for houses',
  'Rain is expected in Oslo on Monday',
];

type TextModel = EmbeddingModel<string> & object;

/** Creates an index in SQLite that stores the identity of its embedding model. */
function openIndex() {
  const database = new Database(':memory:');
  onTestFinished(() => void database.close());
  sqliteVec.load(database);

  return {
    async make(model: TextModel, texts: readonly string[]): Promise<void> {
      const identity = await embeddingIdentity(model);
      database.exec(`
        CREATE TABLE identity (json TEXT NOT NULL);
        CREATE VIRTUAL TABLE notes USING vec0(embedding float[${identity.dimensions}], +text TEXT);
      `);
      database.prepare('INSERT INTO identity VALUES (?)').run(JSON.stringify(identity));
      const { embeddings } = await embedMany({ model, values: [...texts] });
      const insert = database.prepare('INSERT INTO notes (embedding, text) VALUES (?, ?)');
      embeddings.forEach((embedding, index) => insert.run(new Float32Array(embedding), texts[index]));
    },

    async search(model: TextModel, question: string, { limit }: { limit: number }): Promise<string[]> {
      const { json } = database.prepare('SELECT json FROM identity').get() as { json: string };
      const identity = JSON.parse(json) as EmbeddingIdentity;
      const { embedding } = await embed({ model: pinEmbeddingModel(model, identity), value: question });
      const rows = database
        .prepare('SELECT text FROM notes WHERE embedding MATCH ? AND k = ? ORDER BY distance')
        .all(new Float32Array(embedding), limit) as { text: string }[];
      return rows.map(({ text }) => text);
    },
  };
}

it('a SQLite vector store finds related texts and rejects queries that another model embedded', async () => {
  const emulator = await startEmulator();
  const provider = createKelivoResponsesProvider({ baseURL: emulator.baseURL, apiKey: 'sk-test' });
  const model = provider.textEmbeddingModel('text-embedding-3-small', { dimensions: 256 });
  const index = openIndex();
  await index.make(model, notes);
  expect(emulator.requests).toHaveLength(1);

  expect(await index.search(model, 'Where is the cat?', { limit: 2 })).toEqual(
    expect.arrayContaining([notes[0], notes[2]]),
  );
  expect(await index.search(model, 'the bank raised interest', { limit: 1 })).toEqual([notes[1]]);
  expect(emulator.requests).toHaveLength(3);

  // With the same length, so that the store itself would not detect the other model.
  const other = provider.textEmbeddingModel('text-embedding-3-large', { dimensions: 256 });
  const longer = provider.textEmbeddingModel('text-embedding-3-small');
  await expect(index.search(other, 'Where is the cat?', { limit: 2 })).rejects.toThrow(
    EmbeddingMismatchError,
  );
  expect(emulator.requests).toHaveLength(3);
  await expect(index.search(longer, 'Where is the cat?', { limit: 2 })).rejects.toThrow(
    EmbeddingMismatchError,
  );
});
