import type { ToolSource } from 'kelivo-responses/tool-loop';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import fc from '../_property.js';
import { startMcpTools } from './_exits.js';
import { majors } from './_majors.js';
import { allExits, findFaultOf, walksOver } from './_walk.js';
import { startWireServer, type WireServer } from './_wires.js';

// Conversations that leave the package through several exits: the provider, the switch, the official packages in a
// registry, adapted, wrapped and converted models. A server of three APIs checks each request against the calls so far.
// That a server accepts a request proves nothing: the models read what is in it.

globalThis.AI_SDK_LOG_WARNINGS = false;

let server: WireServer;
let mcp: ToolSource;

beforeAll(async () => {
  server = await startWireServer();
  mcp = startMcpTools();
  await mcp.listTools();
});

afterAll(async () => {
  await mcp.close();
  await server.close();
});

// `FUZZ_SEED=random` plays other conversations, and `FUZZ_WALKS` more of them. A failure prints the seed, the path up to the
// first wrong request, and what is wrong with it.
const { seed = Math.floor(Math.random() * 2 ** 31) } = fc.readConfigureGlobal();
const count = Number(process.env.FUZZ_WALKS ?? 60);
const walks = fc
  .sample(walksOver(allExits), { numRuns: count, seed })
  .map((walk, index) => ({ walk, number: index + 1 }));

describe.each(majors)('ai $ai', major => {
  it.each(walks)(`walk $number of seed ${seed} sends each call once, with its output`, async ({ walk }) => {
    const fault = await findFaultOf(walk, { major, server, mcp });
    if (fault !== undefined) expect.fail(fault);
  });
});
