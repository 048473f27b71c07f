import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { startEmulator } from '../testing/_emulator.js';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';
import { missingChromium as missing } from '../_chromium.js';
import { chooseOption, openPage } from './_page.js';

describe.skipIf(missing)(`the setup${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('compares both providers side by side', async () => {
    const { page, shoot } = await openPage();
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('button', { name: 'Two tools in sequence' }).click();
    await page.locator('.comparison td', { hasText: 'finished' }).nth(1).waitFor();
    const responses = await page.getByRole('article', { name: 'Response' }).allInnerTexts();
    await page.locator('.run-differences > summary').click();
    await shoot('compare');
    await page.getByRole('button', { name: /^official · gpt-5/ }).click();
    await page.locator('.turn-model', { hasText: 'official' }).waitFor();
    await page.reload();
    await page.locator('.comparison').waitFor();

    expect(responses).toHaveLength(2);
    for (const response of responses) expect(response).toContain('The sum of 17 and 25 is 42.');
    expect(await page.getByRole('article', { name: 'Response' }).count()).toBe(2);
  });

  it('switches the provider during a conversation', async () => {
    const { page, ask } = await openPage({ mcpServers: {} });
    await ask('Count the words in "one two three".');
    await page.getByText('Official', { exact: true }).click();
    await ask('Hello again');
    await page.locator('.turn-model', { hasText: 'official' }).waitFor();

    expect(await page.locator('.turn-summary').allInnerTexts()).toEqual([
      expect.stringMatching(/^kelivo · gpt-5 · 2 rounds · 1 tool call/),
      expect.stringMatching(/^official · gpt-5 · 1 round/),
    ]);
  });

  it('adds an MCP server after the code of the terminal was entered, and the model uses its tools', async () => {
    const { page, ask, shoot, folder, printed } = await openPage({ mcpServers: {} });
    await page.getByRole('link', { name: 'MCP servers' }).click();
    await page.getByText('No server is configured').waitFor();
    await page.getByRole('button', { name: 'Edit the configuration' }).click();
    const field = page.getByLabel('Configuration', { exact: true });
    await field.fill('{ "mcpServers": { "a": { "command": 1 } } }');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const problem = await page.locator('.hint.problem').innerText();
    await field.fill(
      JSON.stringify({
        mcpServers: {
          more: {
            ...everythingOverStdio(),
            trustAnnotations: true,
            env: { NODE_OPTIONS: '--no-deprecation' },
          },
        },
      }),
    );
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const question = await page.getByRole('alertdialog').innerText();
    await shoot('confirm-command');
    const code = page.getByRole('textbox', { name: 'Confirmation code' });
    await code.fill('AAAA-AAAA');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByText('Attempts left: 4.').waitFor();
    await code.fill(/Confirmation code: (\S+)/.exec(printed())?.[1] ?? '');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.locator('.server-card[data-state="ready"]').waitFor();
    await page.getByText(/^\d+ tools$/).click();
    await shoot('server-added');
    await page.getByRole('link', { name: 'Chats' }).click();
    await ask('Get the sum of 1 and 2.');

    expect(problem).toContain('"a"');
    expect(question).toContain('server-everything');
    expect(question).toMatch(/NODE_OPTIONS\s+--no-deprecation/);
    expect(await readFile(path.join(folder, 'mcp.json'), 'utf8')).toContain('server-everything');
    expect(await page.getByRole('article', { name: 'Response' }).innerText()).toContain(
      'The sum of 1 and 2 is 3.',
    );
  });

  it('adds a server in one step: it is selected, and says why it does not connect', async () => {
    const { page } = await openPage({ mcpServers: {} });
    await page.getByRole('link', { name: 'MCP servers' }).click();
    await page.getByRole('button', { name: 'Add a server' }).click();
    const source = page.getByRole('textbox', { name: 'URL, command or JSON' });
    // The field has the focus, and the button sends it.
    await page.keyboard.type('http://127.0.0.1:9/mcp');
    await page.getByRole('button', { name: 'Connect' }).click();
    const server = page.getByRole('region', { name: 'MCP server “server”' });
    await server.getByRole('status').getByText('failed', { exact: true }).waitFor();
    const reason = await server.locator('.note.problem').innerText();
    await page.getByRole('link', { name: 'MCP servers 1 not connected' }).waitFor();
    const attempt = page.waitForResponse(response => response.url().endsWith('/reconnect'));
    await server.getByRole('button', { name: 'Try again' }).click();
    await attempt;

    expect(reason).toContain('http://127.0.0.1:9');
    expect(new URL(page.url()).pathname).toBe('/servers/server/tools');
    expect(await source.count()).toBe(0);
  });

  it('adds a server from a pasted command line, and asks before it starts', async () => {
    const { page, printed, callApi } = await openPage({ mcpServers: {} });
    await page.getByRole('link', { name: 'MCP servers' }).click();
    await page.getByRole('button', { name: 'Add a server' }).click();
    const source = page.getByRole('textbox', { name: 'URL, command or JSON' });
    const connect = page.getByRole('button', { name: 'Connect' });
    await source.fill('npx "a');
    await connect.click();
    await page.getByText('a quote that is not closed').waitFor();
    const { command, args = [] } = everythingOverStdio();
    await source.fill(`TOKEN=7 ${[command, ...args].map(word => JSON.stringify(word)).join(' ')}`);
    await page.getByText('Name, headers or variables').click();
    await page.getByRole('textbox', { name: 'Name' }).fill('pasted');
    await page.reload();
    await page.getByRole('button', { name: 'Add a server' }).click();
    const kept = await page.getByRole('textbox', { name: 'Name' }).inputValue();
    await connect.click();
    const question = await page.getByRole('alertdialog').innerText();
    const code = /Confirmation code: (\S+)/.exec(printed())?.[1] ?? '';
    await page.getByRole('textbox', { name: 'Confirmation code' }).fill(code);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    const server = page.getByRole('region', { name: 'MCP server “pasted”' });
    await server.getByRole('button', { name: 'Call the tool' }).waitFor();
    const { config } = (await (await callApi('/servers')).json()) as { config: string };
    await page.getByRole('button', { name: 'Add a server' }).click();

    expect(kept).toBe('pasted');
    expect(question).toMatch(/pasted[^]*server-everything[^]*TOKEN[^]*7/);
    expect(JSON.parse(config)).toMatchObject({ mcpServers: { pasted: { command, args } } });
    expect(await source.inputValue()).toBe('');
  });

  it('displays the state, error and log of a server, and switches one off', async () => {
    const { page, shoot } = await openPage({
      mcpServers: { everything: everythingOverStdio(), broken: { command: 'no-such-program' } },
    });
    // A sign on every page.
    await page.getByRole('link', { name: 'MCP servers 1 not connected' }).click();
    const broken = page.locator('.server-card', { hasText: 'broken' });
    await broken.locator('.note').waitFor();
    const names = await page.locator('.server-card h3').allInnerTexts();
    const working = page.locator('.server-card', { hasText: 'everything' });
    await working.getByText('Log', { exact: true }).click();
    const log = await working.locator('.log').innerText();
    await shoot('server-failed');
    await page.getByRole('switch', { name: 'Use broken' }).click();
    await broken.getByText('switched off').waitFor();

    await page.getByRole('link', { name: 'MCP servers', exact: true }).waitFor();

    expect(names).toEqual(['broken', 'everything']);
    expect(log).toContain('Connected.');
  });

  it('asks before a destructive tool runs and follows the decision', async () => {
    const { page, ended, shoot, folder } = await openPage();
    await page.getByRole('button', { name: 'A tool that requires approval' }).click();
    await page.getByRole('alertdialog').waitFor();
    await shoot('approval');
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await ended();
    const written = await readFile(path.join(folder, 'files', 'hello.txt'), 'utf8');
    await page.getByRole('button', { name: 'New chat' }).click();
    await page.getByRole('button', { name: 'A tool that requires approval' }).click();
    await page.getByRole('button', { name: 'Reject' }).click();
    await ended();

    expect(written).toBe('Hello from the playground.');
    expect(await page.getByRole('article', { name: 'Response' }).innerText()).toContain(
      'The user rejected this call.',
    );
  });

  it('reports a wrong key and never receives it back', async () => {
    const emulator = await startEmulator({ apiKey: 'sk-the-right-one-0123456789' });
    const { page, ask, shoot } = await openPage({ mcpServers: {} });
    await page.getByText('Base URL', { exact: true }).click();
    await page.getByLabel('Base URL').last().fill('nonsense');
    await page.keyboard.press('Enter');
    await page.getByText('Expected a URL').waitFor();
    await page.getByLabel('Base URL').last().fill(emulator.baseURL);
    await page.keyboard.press('Enter');
    const key = page.getByLabel('API key');
    await key.fill('sk-a-wrong-key-0123456789');
    await key.press('Enter');
    await page.getByText('The key for this endpoint is stored').waitFor();
    await ask('Hello', { end: 'failed' });
    await shoot('bad-key');
    const failure = await page.getByRole('alert').innerText();
    await key.fill('sk-the-right-one-0123456789');
    await key.press('Enter');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.state-badge[data-state="finished"]').waitFor();

    expect(failure).toMatch(/API key/);
    expect(await key.inputValue()).toBe('');
    expect(await page.content()).not.toContain('0123456789');
  });

  it('displays a fault: the part before it, the reason and the broken exchange', async () => {
    const { page, ended, shoot } = await openPage();
    await chooseOption(page, 'Emulator fault', 'Dropped connection');
    await page.getByLabel('Affected request').selectOption('2');
    await page.getByRole('button', { name: 'Two tools in sequence' }).click();
    await ended('failed');
    await shoot('fault');

    expect(await page.getByRole('alert').innerText()).toMatch(/connection .* broke/);
    expect(await page.locator('.bar.request[data-state="failed"]').count()).toBe(1);
    expect(await page.locator('.bar.tool[data-state="done"]').count()).toBe(1);
    expect(await page.locator('.wire-line').innerText()).toContain('broken');
  });

  it('lists the adapters of a model, each with a switch', async () => {
    const { page, ask, shoot } = await openPage({ mcpServers: {} });
    await page.getByLabel('Model', { exact: true }).fill('qwen3-coder-30b');
    await page.keyboard.press('Enter');
    const adapter = page.getByRole('switch', { name: 'qwen' });
    await adapter.waitFor();
    await chooseOption(page, 'Emulator fault', 'Calls as text: Qwen Coder');
    await ask('Count the words in "one two three".');
    const adapted = await page.locator('.tool-part').count();
    await shoot('adapter');
    await adapter.click();
    await page.getByRole('button', { name: 'New chat' }).click();
    await ask('Count the words in "one two three".');

    expect(adapted).toBe(1);
    expect(await page.locator('.tool-part').count()).toBe(0);
  });

  it('keeps the limits for turns of applications, and says which values it expects', async () => {
    const { page } = await openPage({ mcpServers: {} });
    await page.getByRole('link', { name: 'Settings' }).click();
    const days = page.getByLabel('Maximum age in days');
    expect(await days.inputValue()).toBe('30');
    await days.fill('0');
    await days.press('Enter');
    await page.getByText('Expected a whole number from 1 to 36500.').waitFor();
    await days.fill('7');
    const saved = page.waitForResponse(response => response.url().endsWith('/api/state/retention'));
    await days.press('Enter');
    await saved;
    await page.reload();
    await expect.poll(() => days.inputValue()).toBe('7');
    expect(await page.getByLabel('Maximum size in megabytes').inputValue()).toBe('500');
  });

  it('searches events and request body, and highlights matches', async () => {
    const { page, ask, shoot } = await openPage({ mcpServers: {} });
    await ask('Count the words in "one two three".');
    const search = page.getByLabel('Search the wire');
    await search.fill('output_text.delta');
    const found = await page.locator('.events li').count();
    await page.locator('.wire .count', { hasText: ' of ' }).waitFor();
    const all = await page.locator('.wire .count').innerText();
    await page.locator('.events summary').first().click();
    await page.locator('.events .json mark').first().waitFor();
    await shoot('wire-search');
    await page.getByRole('tab', { name: 'Request', exact: true }).click();
    await search.fill('word-count');
    await page.locator('.wire .tab-panel > .json mark').first().waitFor();
    await search.fill('');
    await page.getByRole('tab', { name: 'Headers', exact: true }).click();

    expect(found).toBeGreaterThan(1);
    expect(found).toBeLessThan(Number(/of (\d+)/.exec(all)?.[1]));
    expect(await page.locator('.wire .tab-panel > .json').innerText()).toContain('text/event-stream');
  });

  it('has settings of a chat in sections beside it, and those of all chats on a page with links to each', async () => {
    const { page } = await openPage({ mcpServers: {} });
    const panel = page.getByRole('region', { name: 'Conversations and settings' });
    await panel.getByRole('heading', { name: 'Instructions' }).waitFor();
    const headings = await panel.locator('.setup h3').allInnerTexts();
    const chat = page.url();
    await page.getByRole('link', { name: 'Settings' }).click();
    const sections = page.getByRole('navigation', { name: 'Sections of the settings' });
    await sections.getByRole('link', { name: 'Signed-in tabs' }).click();
    await expect
      .poll(() => page.getByRole('region', { name: 'Signed-in tabs' }).boundingBox())
      .toMatchObject({ y: expect.toSatisfy(isOnScreen) });
    const links = await sections.getByRole('link').allInnerTexts();
    const regions = await page.locator('main > section h3').count();
    const settings = await page.getByLabel('Model', { exact: true }).count();
    await page.getByRole('link', { name: 'open the new chat' }).click();
    await panel.waitFor();

    expect(headings).toEqual(['Model', 'Tools', 'Emulator', 'Instructions']);
    expect(links).toHaveLength(regions);
    expect(settings).toBe(0);
    expect(page.url()).toBe(chat);
  });
});

const isOnScreen = (top: unknown): boolean => typeof top === 'number' && top >= 0 && top < 900;
