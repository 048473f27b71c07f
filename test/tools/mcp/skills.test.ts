import { once } from 'node:events';
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { memorySkillFiles, SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import { expect, it, onTestFinished } from 'vitest';
import { openTools } from './_fixture-server.js';
import { startModernServer, toList } from './_modern-server.js';

const files: Record<string, string> = {
  'tea/SKILL.md': '---\nname: tea\ndescription: Use it to make tea.\n---\n# Tea\n\nBoil water.',
  'tea/references/leaves.md': 'Green, black, white.',
};

async function startSkillServer(): Promise<{ url: string }> {
  const skills = await SkillsExtension.load(memorySkillFiles(files));
  const handler = toNodeHandler(
    createMcpHandler(() => {
      const mcp = new McpServer({ name: 'skills', version: '1' });
      skills.attach(mcp);
      return mcp;
    }),
  );
  const server = createServer((request, response) => void handler(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp` };
}

it('are listed, and their files are read and verified', async () => {
  const tools = openTools({ kitchen: await startSkillServer() });
  const [skill, ...others] = await tools.listSkills('kitchen');
  expect(others).toEqual([]);
  expect(skill).toEqual({
    uri: 'skill://tea/SKILL.md',
    name: 'tea',
    description: 'Use it to make tea.',
    files: ['skill://tea/SKILL.md', 'skill://tea/references/leaves.md'],
  });
  const uri = skill?.uri ?? '';
  expect(await tools.readSkill('kitchen', { uri })).toMatchObject({
    uri,
    text: expect.stringMatching(/^\s*# Tea\n\nBoil water\.$/),
    isVerified: true,
  });
  const { text, bytes } = await tools.readSkill('kitchen', { uri, path: 'references/leaves.md' });
  expect(text).toBe('Green, black, white.');
  expect(new TextDecoder().decode(bytes)).toBe(text);
  await expect(tools.readSkill('kitchen', { uri, path: 'none.md' })).rejects.toMatchObject({
    code: 'mcp-protocol',
  });
});

it('that differ from what the server lists are refused', async () => {
  const skill = {
    uri: 'skill://tea/SKILL.md',
    frontmatter: { name: 'tea', description: 'Use it to make tea.' },
    resources: [{ uri: 'skill://tea/SKILL.md', digest: `sha256:${'0'.repeat(64)}`, size: 10 }],
  };
  const caching = { ttlMs: 0, cacheScope: 'private' };
  const { url } = await startModernServer(
    {
      'skills/get': () => ({ skill, ...caching }),
      'resources/read': () => ({ contents: [{ uri: skill.uri, text: files['tea/SKILL.md'] }], ...caching }),
    },
    { capabilities: { resources: {}, extensions: { 'io.modelcontextprotocol/skills': {} } } },
  );
  await expect(
    openTools({ kitchen: { url } }).readSkill('kitchen', { uri: skill.uri }),
  ).rejects.toMatchObject({
    code: 'mcp-protocol',
  });
});

it('are none of a server without the extension', async () => {
  const { url } = await startModernServer({ 'tools/list': () => toList([]) });
  expect(await openTools({ plain: { url } }).listSkills('plain')).toEqual([]);
});
