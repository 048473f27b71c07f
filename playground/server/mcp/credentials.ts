import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { McpCredentialStore } from 'kelivo-responses/mcp';
import * as z from 'zod';

/** The tokens and registrations of sign-ins, by the addresses of the servers. */
export interface Credentials extends McpCredentialStore {
  get(address: string): string | undefined;
  set(address: string, value: string): void;
  /** Returns true if tokens are stored. They may have expired. */
  isSignedIn(address: string): boolean;
  /** Forgets tokens and registration of a server. */
  remove(address: string): void;
  /** All values that must not be shown. */
  secrets(): readonly string[];
}

const entriesSchema = z.record(z.string(), z.string());
const secretsSchema = z.object({
  clients: z.record(z.string(), z.object({ client_secret: z.string().optional() })).default({}),
  tokens: z
    .record(
      z.string(),
      z.object({
        access_token: z.string(),
        refresh_token: z.string().optional(),
        id_token: z.string().optional(),
      }),
    )
    .default({}),
  verifier: z.string().optional(),
});

/** Keeps credentials in a file that only its owner can read. Without a readable file, the user signs in again. */
export function openCredentials(file: string): Credentials {
  let entries = readEntries(file);

  function write(changed: Readonly<Record<string, string>>): void {
    entries = changed;
    const draft = `${file}.new`;
    writeFileSync(draft, JSON.stringify(entries), { mode: 0o600 });
    // The mode above applies only to a new file.
    chmodSync(draft, 0o600);
    renameSync(draft, file);
  }

  return {
    get: address => entries[address],
    set: (address, value) => write({ ...entries, [address]: value }),
    isSignedIn: address => Object.keys(readSecrets(entries[address]).tokens).length > 0,
    remove(address) {
      if (entries[address] === undefined) return;
      const { [address]: removed, ...remaining } = entries;
      write(remaining);
    },
    secrets: () =>
      Object.values(entries).flatMap(entry => {
        const { clients, tokens, verifier } = readSecrets(entry);
        return [
          ...Object.values(clients).map(({ client_secret }) => client_secret),
          ...Object.values(tokens).flatMap(token => Object.values(token)),
          verifier,
        ].filter(secret => secret !== undefined);
      }),
  };
}

function readEntries(file: string): Readonly<Record<string, string>> {
  try {
    return entriesSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}

const readSecrets = (entry: string | undefined): z.infer<typeof secretsSchema> =>
  secretsSchema.safeParse(parseJson(entry ?? '')).data ?? { clients: {}, tokens: {} };

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
