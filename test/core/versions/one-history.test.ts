import { describe, expect, it } from 'vitest';
import fc from '../../_property.js';
import { majors } from './_majors.js';
import { startServers } from './_servers.js';
import { allExits, findFaultOf, walksOver } from './_walk.js';

// Conversations that leave the package through several exits: the provider, the switch, the official packages in a
// registry, adapted, wrapped and converted models. A server of three APIs checks each request against the calls so far.
// That a server accepts a request proves nothing: the models read what is in it.

const { server, mcp } = await startServers();

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
