import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { missingChromium as missing } from '../_chromium.js';
import { startAuthorizationServer } from '../tools/mcp/_authorization-server.js';
import { findOverflow, findViolations } from './_accessibility.js';
import { expectShortTasks } from './_tasks.js';
import { chooseOption, openPage, type OpenPageOptions, type TestPage } from './_page.js';

const SECRET = 'opaque-value-7-of-the-environment';

const restaurant = {
  command: process.execPath,
  args: [fileURLToPath(new URL('_inspected-server.mjs', import.meta.url))],
  env: { SECRET },
  roots: ['/srv/kitchen'],
};

interface InspectorPage extends TestPage {
  readonly inspector: Locator;
  /** The response of the server to a call. */
  readonly response: Locator;
  /** The card of a request of the server. */
  readonly request: Locator;
  openTab(name: string): Promise<void>;
  /** Selects a tool and calls it without input. */
  call(toolName: string): Promise<void>;
  choose(toolName: string): Promise<void>;
  run(): Promise<void>;
}

async function openServers(mcpServers: unknown, options: OpenPageOptions = {}): Promise<TestPage> {
  const opened = await openPage({ mcpServers, ...options });
  await opened.page.getByRole('link', { name: 'MCP servers' }).click();
  return opened;
}

/** Opens the workspace of the restaurant. */
async function openInspector(options?: OpenPageOptions): Promise<InspectorPage> {
  const opened = await openServers({ restaurant }, options);
  const { page } = opened;
  await page.locator('.server-card[data-state="ready"]').waitFor();
  await page.getByRole('link', { name: 'Inspect restaurant' }).click();
  const inspector = page.getByRole('region', { name: 'MCP server “restaurant”' });
  const choose = (toolName: string): Promise<void> => chooseTool(inspector, toolName);
  const run = (): Promise<void> => inspector.getByRole('button', { name: 'Call the tool' }).click();
  await inspector.getByRole('searchbox', { name: 'Search tools' }).waitFor();
  return {
    ...opened,
    inspector,
    choose,
    run,
    response: inspector.getByRole('region', { name: 'Response of the server' }),
    request: page.getByRole('region', { name: '“restaurant” requests' }),
    openTab: name => inspector.getByRole('tab', { name, exact: true }).click(),
    async call(toolName) {
      await choose(toolName);
      await run();
    },
  };
}

async function chooseTool(inspector: Locator, toolName: string): Promise<void> {
  const tools = inspector.getByRole('list', { name: 'Tools of restaurant' });
  await tools.getByRole('link', { name: toolName, exact: true }).click();
  await inspector.getByRole('region', { name: `Tool ${toolName}` }).waitFor();
}

const succeeded = /^Succeeded after [\d.]+ m?s$/;

/** The text of the first block of a tool's result. */
const readOutput = async (inspector: Locator): Promise<string> =>
  inspector.locator('.tool-output pre').first().innerText();

describe.skipIf(missing)(`the inspector${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('makes a form of every kind of field, rejects invalid input, and shows the complete result', async () => {
    const { inspector, response, choose, run, shoot, errors } = await openInspector();
    await choose('order');
    const fill = (label: string, text: string): Promise<void> =>
      inspector.getByLabel(label, { exact: true }).fill(text);
    await fill('Text', '"Soup" & <b>pie</b>');
    await fill('Count', '1.5');
    await fill('Ratio', 'half');
    await run();
    await inspector.getByText('so they were not sent').waitFor();
    const hints = await inspector.locator('.hint.problem').allInnerTexts();
    expect(hints).toEqual([expect.stringContaining('int'), expect.stringContaining('number')]);
    // The browser logs the refusal.
    errors.splice(0);
    await fill('Count', '2');
    await fill('Ratio', '0.5');
    await fill('city', 'Oslo');
    await inspector.getByRole('button', { name: 'Add to Tags' }).click();
    await fill('Tags 1', 'hot');
    await inspector.getByRole('button', { name: 'Add to Tags' }).click();
    await fill('Tags 2', 'new');
    await inspector.getByRole('button', { name: 'Move Tags 2 up' }).click();
    await inspector.getByRole('button', { name: 'Remove Tags 1' }).click();
    await inspector.getByLabel('Gift').selectOption('true');
    await inspector.getByRole('group', { name: 'Colours' }).getByLabel('blue').check();
    await inspector.getByRole('group', { name: 'Colours' }).getByLabel('red').check();
    await inspector.getByRole('button', { name: 'Edit as JSON' }).click();
    const json = inspector.getByLabel('Arguments as JSON');
    const text = await json.inputValue();
    await json.fill(text.replace('"Oslo"', 'Oslo'));
    await run();
    const place = await inspector.locator('form').getByRole('alert').innerText();
    await json.fill(text);
    await inspector.getByRole('button', { name: 'Edit as a form' }).click();
    expect(await inspector.getByLabel('city').inputValue()).toBe('Oslo');
    await run();
    await inspector.getByText(succeeded).waitFor();
    const at = text.slice(0, text.indexOf('"Oslo"')).split('\n');
    expect(place).toContain(`Line ${at.length}, column ${(at.at(-1)?.length ?? 0) + 1}`);
    const order = {
      text: '"Soup" & <b>pie</b>',
      count: 2,
      ratio: 0.5,
      size: 'large',
      isGift: true,
      tags: ['hot'],
      colours: ['red', 'blue'],
      place: { city: 'Oslo' },
    };
    expect(JSON.parse((await readOutput(inspector)).replace('Ordered: ', ''))).toEqual(order);
    const shown = await response.innerText();
    expect(shown).toContain('trace-of-the-order');
    expect(shown).toContain('long '.repeat(30).trim());
    await inspector.getByText('The structured content matches the output schema.').waitFor();
    await shoot('mcp-tool');
  });

  it('shows errors of a tool, structured content that does not match, images and audio', async () => {
    const { inspector, response, call, page } = await openInspector();
    await call('fail');
    await inspector.getByText(/^Failed after [\d.]+ m?s$/).waitFor();
    expect(await response.innerText()).toContain('The shop is closed.');
    await call('mismatch');
    await inspector.getByText(/does not match the output schema: .*count/).waitFor();
    await call('media');
    await inspector.getByText(succeeded).waitFor();
    const image = inspector.getByRole('img', { name: 'Result of the call' });
    await image.waitFor();
    expect(await image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(1);
    const audio = inspector.locator('audio');
    await page.waitForFunction(() => (document.querySelector('audio')?.readyState ?? 0) > 0);
    expect(await audio.getAttribute('aria-label')).toBe('Result of the call');
  });

  it('shows the progress of a running call, which survives a change of the tab, and cancels it', async () => {
    const { inspector, call, openTab } = await openInspector();
    await call('wait');
    await inspector.getByText('1 of 4 – heating the oven').waitFor();
    await openTab('Standard error');
    const stderr = inspector.getByRole('region', { name: 'Standard error' });
    await stderr.getByText('restaurant opens').waitFor();
    await openTab('Tools');
    await inspector.getByText('1 of 4 – heating the oven').waitFor();
    await inspector.getByRole('button', { name: 'Cancel the call' }).click();
    await inspector.getByText('The call was cancelled.').waitFor();
    await openTab('Standard error');
    await stderr.getByText('the call was cancelled').waitFor();
    await openTab('JSON-RPC');
    await inspector.getByRole('tabpanel').getByText('notifications/cancelled').waitFor();
  });

  it('reads resources, templates and prompts with suggestions, adds what is announced, and shows the roots', async () => {
    const { page, inspector, call, openTab, choose, run } = await openInspector();
    await openTab('Resources');
    // Tabs that were visited stay in the page, hidden.
    const panel = inspector.getByRole('tabpanel');
    const contents = inspector.getByRole('region', { name: 'Contents of the resource' });
    await inspector.getByRole('button', { name: 'Menu demo://menu' }).click();
    await contents.getByText('Soup and pie').waitFor();
    expect(page.url()).toMatch(/\/servers\/restaurant\/resources\/demo%3A%2F%2Fmenu$/);
    await inspector.getByRole('button', { name: 'Photo demo://photo' }).click();
    await inspector.getByRole('img', { name: 'Contents of the resource' }).waitFor();
    await panel.getByLabel('city').fill('Os');
    await suggestions(panel, 'city', ['Oslo', 'Osaka']);
    await panel.getByLabel('city').fill('São Paulo');
    await inspector.getByLabel('day').fill('1&2');
    await inspector.getByRole('button', { name: 'Read', exact: true }).click();
    await contents.getByText('Contents of demo://cities/S%C3%A3o%20Paulo?day=1%262').waitFor();

    await openTab('Tools');
    await call('grow');
    await inspector.getByText(succeeded).waitFor();
    await choose('grown');
    await run();
    await inspector.locator('.tool-output').getByText('grown', { exact: true }).waitFor();
    await openTab('Resources');
    await inspector.getByRole('button', { name: 'Grown demo://grown' }).waitFor();

    await openTab('Prompts');
    await inspector.getByLabel('guest (required)').fill('Ada');
    await panel.getByLabel('city').fill('P');
    await suggestions(panel, 'city', ['Paris']);
    await panel.getByLabel('city').fill('Paris');
    await inspector.getByRole('button', { name: 'Fill in' }).click();
    await inspector
      .getByRole('region', { name: 'Messages of the prompt' })
      .getByText('Invite Ada to Paris.')
      .waitFor();
    await inspector.getByRole('img', { name: 'Messages of the prompt' }).waitFor();
    await openTab('Connection');
    await inspector.getByText('Order before you pay.').waitFor();
    await inspector.getByText('/srv/kitchen').waitFor();
    await openTab('Tools');
    await call('roots');
    await inspector.getByText(succeeded).waitFor();
    expect(await readOutput(inspector)).toContain('file:///srv/kitchen');
  });

  it('follows the changes of a resource until the page leaves it, and changes the log level', async () => {
    const { page, inspector, choose, run, openTab } = await openInspector();
    const contents = inspector.getByRole('region', { name: 'Contents of the resource' });
    const stderr = inspector.getByRole('region', { name: 'Standard error' });
    const ends = stderr.getByText('nobody follows demo://menu');
    const cook = async (dish: string): Promise<void> => {
      await openTab('Tools');
      await choose('cook');
      await inspector.getByLabel('dish').fill(dish);
      await run();
      await inspector.getByText(succeeded).waitFor();
      await openTab('Resources');
    };
    await openTab('Resources');
    await inspector.getByRole('button', { name: 'Menu demo://menu' }).click();
    await contents.getByText('Soup and pie').waitFor();
    await inspector.getByRole('button', { name: 'Subscribe', exact: true }).click();
    await inspector.getByText('The contents follow the changes').waitFor();
    await cook('Dumplings');
    await contents.getByText('Dumplings').waitFor();
    await inspector.getByRole('button', { name: 'Unsubscribe' }).click();
    await openTab('Standard error');
    await ends.waitFor();
    await cook('Noodles');
    await openTab('JSON-RPC');
    await openTab('Resources');
    await contents.getByText('Dumplings').waitFor();
    await inspector.getByRole('button', { name: 'Subscribe', exact: true }).click();
    await inspector.getByText('The contents follow the changes').waitFor();
    await page.getByRole('link', { name: 'Traces' }).click();
    await page.getByRole('heading', { name: 'Traces' }).waitFor();
    await page.goBack();
    await openTab('Standard error');
    await expect.poll(() => ends.count()).toBe(2);
    await chooseOption(page, 'Log level', 'error');
    await stderr.getByText('logs from error').waitFor();
    await page.reload();

    const level = inspector.getByRole('combobox', { name: 'Log level' });
    await expect.poll(() => level.inputValue()).toBe('error');
  });

  it('passes forms, pages and completions to the user, who accepts, declines or cancels', async () => {
    const { inspector, request, page, choose, run, call, shoot, errors } = await openInspector();
    /** Calls the tool, responds in the dialog, and returns the response that the server has received. */
    async function respond(toolName: string, act: () => Promise<void>): Promise<unknown> {
      await call(toolName);
      await request.waitFor();
      await act();
      await request.waitFor({ state: 'detached' });
      await inspector.getByText(succeeded).waitFor();
      const received = JSON.parse(await readOutput(inspector)) as unknown;
      // The next call begins without a result.
      await choose('fail');
      return received;
    }
    const press = (name: string): Promise<void> => request.getByRole('button', { name }).click();

    const form = await respond('form', async () => {
      await request.getByText('Who orders?').waitFor();
      await request.getByLabel('Age').fill('old');
      await request.getByLabel('Name').fill('Ada');
      await press('Send');
      await request.getByText('so they were not sent').waitFor();
      errors.splice(0);
      await request.getByLabel('Age').fill('36');
      await request.getByText('expected number').waitFor({ state: 'detached' });
      await request.getByLabel('pie').check();
      await shoot('mcp-elicitation');
      await press('Send');
    });
    expect(form).toEqual({ action: 'accept', content: { name: 'Ada', age: 36, dishes: ['pie'] } });
    expect(await respond('form', () => press('Decline'))).toEqual({ action: 'decline' });
    expect(await respond('form', () => press('Cancel'))).toEqual({ action: 'cancel' });

    await choose('page');
    const url = 'http://127.0.0.1:9/pay?order=1';
    await inspector.getByLabel('url').fill(url);
    await run();
    expect(await request.innerText()).toContain(url);
    const popup = page.waitForEvent('popup');
    await request.getByRole('link', { name: 'Open the page' }).click();
    const opened = await popup;
    await inspector.getByText(succeeded).waitFor();
    expect(JSON.parse(await readOutput(inspector))).toEqual({ action: 'accept' });
    await opened.close();
    await run();
    await press('Decline');
    await inspector.getByText('"decline"').first().waitFor();

    const completion = await respond('complete', async () => {
      await request.getByText('Write a poem about soup.').waitFor();
      await request.getByLabel('Completion').fill('Oh soup!');
      await shoot('mcp-sampling');
      await press('Send');
    });
    expect(completion).toMatchObject({ role: 'assistant', content: { type: 'text', text: 'Oh soup!' } });
    expect(await respond('complete', () => press('Cancel'))).toMatchObject({ code: -32603 });
  });

  it('redacts messages, standard error and copies, and sends what was entered unchanged', async () => {
    const { inspector, response, page, openTab, choose, run, playground } = await openInspector();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: playground.url });
    const text = `${SECRET} and sk-live-1234567890abcdef`;
    const hash = createHash('sha256').update(text).digest('hex');
    await choose('leak');
    await inspector.getByLabel('text').fill(text);
    await run();
    await inspector.getByText(succeeded).waitFor();
    expect(await readOutput(inspector)).toBe(`[redacted] and [redacted] has the hash ${hash}`);
    const seen = [await response.innerText()];
    await openTab('Standard error');
    const stderr = inspector.getByRole('region', { name: 'Standard error' });
    await stderr.getByText(`leaked [redacted] <b>and</b> red text, hash ${hash.slice(0, 12)}`).waitFor();
    seen.push(await stderr.innerText());
    await openTab('JSON-RPC');
    const sent = inspector.getByRole('button', { name: /sent tools\/call/ }).first();
    await sent.click();
    await inspector
      .getByRole('region', { name: /^Message \d+$/ })
      .getByText('leak')
      .first()
      .waitFor();
    await inspector.getByRole('button', { name: 'Copy all messages' }).click();
    const clipboard = await page.waitForFunction(async () => {
      const text = await navigator.clipboard.readText();
      return text.includes('tools/call') ? text : undefined;
    });
    const copied = String(await clipboard.jsonValue());
    seen.push(await inspector.innerText(), copied);
    expect(seen.join('\n')).not.toMatch(/opaque-value-7|sk-live-1234/);

    await openTab('Tools');
    await choose('leak');
    await inspector.getByLabel('text').fill(text);
    await run();
    await inspector.getByRole('button', { name: 'Show secrets' }).click();
    await inspector.getByText(`${text} has the hash`).first().waitFor();
    await run();
    await inspector.getByRole('button', { name: 'Show secrets' }).waitFor();
    expect(await readOutput(inspector)).toBe(`[redacted] and [redacted] has the hash ${hash}`);
  });

  it('shows states as they are: a crashed server is idle, one that cannot start has failed', async () => {
    const { page, errors } = await openServers({
      restaurant: { ...restaurant, roots: undefined },
      missing: { command: '/nowhere/at-all' },
      broken: { command: process.execPath, args: ['-e', 'console.error("no license"); process.exit(3)'] },
      off: { command: process.execPath, disabled: true },
    });
    const card = (name: string): Locator =>
      page.locator('.server-card').filter({ has: page.getByRole('heading', { name, exact: true }) });
    await card('restaurant').and(page.locator('[data-state="ready"]')).waitFor();
    await card('missing').getByRole('alert').getByText('was not found').waitFor();
    await card('broken').getByRole('alert').getByText('no license').waitFor();
    await card('off').getByText('switched off').waitFor();
    expect(await card('off').getByRole('alert').count()).toBe(0);

    await page.getByRole('link', { name: 'Inspect broken' }).click();
    const broken = page.getByRole('region', { name: 'MCP server “broken”' });
    await broken.getByText('The server has no tools, or is not connected.').waitFor();
    await broken.getByRole('tab', { name: 'Standard error' }).click();
    await broken.getByRole('region', { name: 'Standard error' }).getByText('no license').first().waitFor();

    await page.getByRole('link', { name: 'Inspect restaurant' }).click();
    const inspector = page.getByRole('region', { name: 'MCP server “restaurant”' });
    await chooseTool(inspector, 'crash');
    await inspector.getByRole('button', { name: 'Call the tool' }).click();
    await inspector
      .getByText(/closed the connection \(exit code 5\)/)
      .first()
      .waitFor();
    await card('restaurant').and(page.locator('[data-state="idle"]')).waitFor({ state: 'attached' });
    expect(await inspector.innerText()).toContain('connects with the next turn');
    await chooseTool(inspector, 'grow');
    await inspector.getByRole('button', { name: 'Call the tool' }).click();
    await inspector.getByText(succeeded).waitFor();
    await inspector.getByText('connected', { exact: true }).waitFor();
    expect(errors).toEqual([]);
  });

  it('sends nothing that breaks a schema, says why at the field, and keeps the input', async () => {
    const { inspector, request, response, choose, run, errors } = await openInspector();
    await choose('strict');
    await inspector.getByLabel('Code').fill('long');
    await run();
    await inspector.getByText('so they were not sent').waitFor();
    expect(await inspector.getByLabel('Code').inputValue()).toBe('long');
    await inspector.getByLabel('Code').fill('odd');
    await run();
    await request.getByText('Who orders with odd?').waitFor();
    await request.getByLabel('Nickname').fill('ab');
    await request.getByLabel('Address').fill('nowhere');
    await request.getByRole('button', { name: 'Send' }).click();
    await request.getByText('so they were not sent').waitFor();
    const hints = await request.locator('.hint.problem').allInnerTexts();
    await request.getByLabel('Nickname').fill('abc');
    expect(await request.getByLabel('Address').inputValue()).toBe('nowhere');
    await request.getByLabel('Address').fill('abc@example.com');
    await request.getByRole('button', { name: 'Send' }).click();
    await response.getByText('abc@example.com').waitFor();
    errors.splice(0);

    expect(hints).toEqual([expect.stringContaining('3'), expect.stringContaining('email')]);
  });

  it('draws 2,000 rows of a result with fewer than 3,000 nodes in the page, without a long task', async () => {
    const { page, inspector, response, choose, run } = await openInspector();
    const countNodes = (): Promise<number> => page.locator('*').count();
    const counts: number[] = [];
    await expectShortTasks(page, async before => {
      // Another tool removes the response.
      if (before > 0) await choose('order');
      await choose('rows');
      await inspector.getByLabel('Rows', { exact: true }).fill('2000');
      await run();
      await response.getByText('structuredContent').waitFor();
      counts.push(await countNodes());
    });
    // The last closed branch is the list, then its last group, then the last row.
    const last = response.getByText('row 1999');
    for (let level = 0; level < 4 && !(await last.isVisible()); level++)
      await response.getByRole('button', { name: 'Branch' }).last().click();
    await last.waitFor();
    counts.push(await countNodes());

    console.log(`Nodes of the page, closed and with the last group: ${counts.join(' and ')}`);
    for (const count of counts) expect(count).toBeLessThan(3000);
  });

  it('draws a long text of a result in parts', async () => {
    const { inspector, choose, run } = await openInspector();
    await choose('leak');
    await inspector.getByLabel('text').fill(`${'word '.repeat(59_999)}last `);
    const output = inspector.locator('.tool-output pre').first();
    await run();
    await inspector.getByText(succeeded).waitFor();
    expect((await output.textContent())?.length).toBe(100_000);
    for (const left of ['200,078', '100,078', '78'])
      await inspector.getByRole('button', { name: `Show more of ${left} characters` }).click();
    expect(await output.textContent()).toMatch(/word last {2}has the hash [0-9a-f]{64}$/);
  });

  it('signs in at an authorization server, and shows each request of the sign-in', async () => {
    const authorization = await startAuthorizationServer();
    const { page, shoot } = await openServers({
      vault: { url: authorization.urlOf('modern'), type: 'http' },
    });
    await page.getByText('sign-in required').waitFor();
    await page.getByRole('link', { name: 'Inspect vault' }).click();
    const inspector = page.getByRole('region', { name: 'MCP server “vault”' });
    await inspector.getByRole('tab', { name: 'Sign-in' }).click();
    const popup = page.waitForEvent('popup');
    await inspector.getByRole('link', { name: 'Sign in' }).click();
    const opened = await popup;
    await opened.getByText('You are signed in. You can close this page.').waitFor();
    await opened.close();
    await inspector.getByText('connected', { exact: true }).waitFor();
    await inspector.getByText('No further sign-in is required.').waitFor();
    const steps = inspector.locator('.mcp-messages');
    await steps.getByText(/POST .*\/token$/).waitFor();
    await shoot('mcp-sign-in');
    const text = await steps.innerText();
    expect(text).toMatch(
      /401\s+POST http:.*\/modern\s[^]*\/\.well-known\/oauth-protected-resource[^]*\/register[^]*\/token/,
    );
    expect(text).not.toMatch(/code=|code_verifier|state=/);
    await inspector.getByRole('tab', { name: 'Tools' }).click();
    await inspector.getByRole('button', { name: 'Call the tool' }).waitFor();
    expect((await authorization.grants('authorization_code')).length).toBe(1);
    await page.getByRole('button', { name: 'Sign out of vault' }).click();
    await page.getByText('sign-in required').first().waitFor();
    await page.getByRole('link', { name: 'Sign in' }).first().waitFor();
  });

  it('works with the keyboard alone', async () => {
    const { page } = await openServers({ restaurant });
    await page.locator('.server-card[data-state="ready"]').waitFor();
    const focused = (): Promise<string> => page.evaluate(describeFocus);
    const tabTo = async (name: string, key = 'Tab'): Promise<void> => {
      const passed: string[] = [];
      while (passed.at(-1) !== name) {
        if (passed.length > 90) throw new Error(`Expected to reach ${name}, got ${passed.join(', ')}.`);
        await page.keyboard.press(key);
        passed.push(await focused());
      }
    };
    await tabTo('Inspect restaurant');
    await page.keyboard.press('Enter');
    const inspector = page.getByRole('region', { name: 'MCP server “restaurant”' });
    await inspector.getByRole('searchbox', { name: 'Search tools' }).waitFor();
    await tabTo('Text');
    await page.keyboard.type('Soup');
    await tabTo('Count');
    await page.keyboard.type('1');
    await page.keyboard.press('Enter');
    await inspector.getByText(succeeded).waitFor();
    await tabTo('Branch');
    expect(await inspector.getByText('trace-of-the-order').count()).toBe(1);
    await tabTo('Copy Response of the server', 'Shift+Tab').catch(() => tabTo('Copy Response of the server'));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await inspector.getByText('trace-of-the-order').waitFor({ state: 'detached' });
    await tabTo('Tools', 'Shift+Tab');
    for (const name of ['Resources', 'Prompts', 'JSON-RPC']) {
      await page.keyboard.press('ArrowRight');
      await inspector.getByRole('tab', { name, selected: true }).waitFor();
    }
    await tabTo('Download');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await inspector.getByRole('region', { name: /^Message \d+$/ }).waitFor();
  });

  it('has no violation that axe finds and no overflow, light and dark, at three sizes', async () => {
    const { page, inspector, request, call, choose, openTab, shoot } = await openInspector({
      width: 390,
      height: 844,
    });
    const found: string[] = [];
    const check = async (state: string, { isDesktopOnly = false } = {}): Promise<void> => {
      const onEach = async (view: string): Promise<void> => {
        found.push(...(await findOverflow(page)).map(element => `${view}: ${element}`));
        if (!isDesktopOnly) await shoot(`mcp-${view}`);
      };
      found.push(...(await findViolations(page, state, { within: '.app', isDesktopOnly, onEach })));
    };
    await call('media');
    await inspector.getByText(succeeded).waitFor();
    await choose('order');
    await inspector.getByLabel('Text', { exact: true }).fill('Soup');
    await inspector.getByLabel('Count', { exact: true }).fill('1');
    await inspector.getByRole('button', { name: 'Call the tool' }).click();
    await inspector.getByText(succeeded).waitFor();
    await check('tools');
    await openTab('Resources');
    await inspector.getByRole('button', { name: 'Photo demo://photo' }).click();
    await inspector.getByRole('img', { name: 'Contents of the resource' }).waitFor();
    await check('resources', { isDesktopOnly: true });
    await openTab('JSON-RPC');
    await inspector
      .getByRole('button', { name: /sent tools\/call/ })
      .first()
      .click();
    await check('messages');
    await openTab('Standard error');
    await inspector.getByText('restaurant opens').waitFor();
    await check('stderr', { isDesktopOnly: true });
    await openTab('Tools');
    await call('form');
    await request.waitFor();
    await check('form');
    await request.getByRole('button', { name: 'Decline' }).click();
    await inspector.getByText(succeeded).waitFor();
    await call('complete');
    await request.waitFor();
    await check('sampling', { isDesktopOnly: true });
    await request.getByRole('button', { name: 'Decline' }).click();
    expect(found).toEqual([]);
  });
});

/** Waits until a field has these suggestions of the server. */
async function suggestions(panel: Locator, label: string, expected: readonly string[]): Promise<void> {
  const page: Page = panel.page();
  const id = (await panel.getByLabel(label).getAttribute('list')) ?? '';
  await page.waitForFunction(
    ([listId, texts]) => {
      const options = document.querySelectorAll<HTMLOptionElement>(`[id="${listId}"] option`);
      return JSON.stringify([...options].map(({ value }) => value)) === texts;
    },
    [id, JSON.stringify(expected)] as const,
  );
}

/** The name of the element with the focus. */
function describeFocus(): string {
  const element = document.activeElement as HTMLInputElement;
  return element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent ?? '';
}
