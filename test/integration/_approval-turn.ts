// Runs one turn with the messages of standard input, in a separate process. Prints the new messages.
import { openSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import KeyvRedis from '@keyv/redis';
import type { ModelMessage } from 'ai';
import { hosts } from '../host-matrix/_host.js';
import { recordingServer } from './_recording-server.js';

globalThis.AI_SDK_LOG_WARNINGS = false;
const [baseURL = '', hostName = '', effects = '', secret = '', claims = ''] = process.argv.slice(2);
const host = hosts.find(({ name }) => name === hostName);
if (host === undefined) throw new Error(`There is no host ${hostName}.`);
const { claim, close } = openClaims(claims);
const provider = host.createProvider({
  baseURL,
  apiKey: 'sk-test-0123456789',
  mcpServers: recordingServer(effects),
  toolLoop: {
    approve: 'host',
    ...(secret !== '' && { hostApprovals: { secret, claim } }),
  },
});
const messages = JSON.parse(await text(process.stdin)) as ModelMessage[];
const result = await host.sdk.generateText({ model: provider('gpt-5'), messages, maxRetries: 0 });
console.log(JSON.stringify(result.response.messages));
await provider.close();
close();

/** Opens the claims at a location: a folder or a `redis://…` URL. Both claim atomically. Without one, every claim succeeds. */
function openClaims(location: string) {
  if (location === '') return { claim: () => true, close: () => {} };
  if (location.startsWith('redis:')) {
    const adapter = new KeyvRedis<string>(location);
    return {
      async claim(id: string, { expiresAt }: { expiresAt: number }): Promise<boolean> {
        const client = await adapter.getClient();
        const options = { condition: 'NX', expiration: { type: 'PXAT', value: expiresAt } } as const;
        return 'set' in client && (await client.set(id, '1', options)) === 'OK';
      },
      close: () => void adapter.disconnect(),
    };
  }
  return {
    claim(id: string): boolean {
      try {
        openSync(path.join(location, encodeURIComponent(id)), 'wx');
        return true;
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
        throw error;
      }
    },
    close: () => {},
  };
}
