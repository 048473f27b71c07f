import { expect, it } from 'vitest';
import { serve } from '../_server.js';
import { runDemo } from '../playground/terminal/_run-demo.js';

const KEY = 'canary-58a1f7e3';
const QUERY = 'canary-9b20c4d6';

it.each([401, 500])('the demo prints no key, even if a server repeats it with status %d', async status => {
  const server = await serve((response, { path, headers }) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: `refused ${headers.authorization} at ${path}` } }));
  });
  const { stdout, stderr } = await runDemo(['Hello'], {
    env: { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${server.url}/v1?key=${QUERY}` },
  });
  expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  expect(server.requests[0]?.path).toContain(QUERY);
  expect(`${stdout}${stderr}`).toContain('refused');
  expect(`${stdout}${stderr}`).not.toMatch(/canary-/);
});
