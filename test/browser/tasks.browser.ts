import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { missingChromium as missing } from '../_chromium.js';
import type { ServerInspection, ToolCallResult } from '../../playground/shared/mcp-inspection.js';
import { findOverflow, findViolations } from './_accessibility.js';
import { openPage } from './_page.js';

const oven = {
  command: process.execPath,
  args: [fileURLToPath(new URL('_task-server.mjs', import.meta.url))],
};

async function openOven(path: string) {
  const opened = await openPage({ mcpServers: { oven } });
  const { page, callApi, playground } = opened;
  await callApi('/servers/oven/reconnect', { method: 'POST' });
  await page.goto(`${playground.url}/servers/oven/${path}`);
  const inspector = page.getByRole('region', { name: 'MCP server “oven”' });
  await inspector.waitFor();
  return {
    ...opened,
    inspector,
    /** Calls a tool as another page does. */
    async callTool(toolName: string): Promise<string> {
      const response = await callApi('/mcp/oven/call', { method: 'POST', body: { toolName, input: {} } });
      const { result } = (await response.json()) as ToolCallResult;
      return (result as { content?: { text: string }[] }).content?.[0]?.text ?? '';
    },
    task: (number: number) => inspector.getByRole('region', { name: `Task ${number}` }),
    call: inspector.getByRole('button', { name: 'Call the tool' }),
  };
}

describe.skipIf(missing)(`tasks${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('show state, progress and result, go on over a reload, and can be cancelled', async () => {
    const { page, inspector, task, call, callTool, shoot } = await openOven('tools/bake');
    const asTask = inspector.getByRole('switch', { name: 'Call as a task' });
    expect(await asTask.isChecked()).toBe(true);
    expect(await asTask.isDisabled()).toBe(true);
    expect(await inspector.getByRole('switch', { name: 'Offer bake to the model' }).isChecked()).toBe(true);
    await inspector.getByLabel('text', { exact: true }).fill('<b>bread</b>');
    await call.click();
    await task(1).getByText('1 of 3 – first step').waitFor();
    await task(1).getByText('bake <b>bread</b>').waitFor();
    await shoot('mcp-task');
    expect(await findOverflow(page)).toEqual([]);
    expect(await findViolations(page, 'task', { within: '.tool-panel', isDesktopOnly: true })).toEqual([]);
    // The form is free while the task works.
    await call.click();
    await task(2).getByText('1 of 3 – first step').waitFor();
    await page.reload();
    await task(1).getByText('Working').waitFor();
    await task(1).getByRole('button', { name: 'Cancel the task' }).click();
    await task(1).waitFor({ state: 'detached' });
    await callTool('finish');
    await task(2)
      .getByText(/^Completed after/)
      .waitFor();
    expect(await task(2).locator('.tool-output').innerText()).toContain('bake has ended with');
    const history = inspector.getByRole('region', { name: 'History' });
    await history.getByText('2 calls').waitFor();
    expect(await history.locator('.tag').allInnerTexts()).toEqual(['succeeded', 'failed']);
  });

  it('are optional for other tools, and fail when the process of the server ends', async () => {
    const { inspector, task, call, callTool, errors } = await openOven('tools/cook');
    await call.click();
    await inspector.getByText(/^Succeeded after/).waitFor();
    await inspector.getByRole('switch', { name: 'Call as a task' }).check();
    await call.click();
    await task(2).getByText('Working').waitFor();
    await callTool('crash');
    await task(2)
      .getByText(/^Failed after/)
      .waitFor();
    await task(2)
      .getByText(/closed the connection|connection to the server has ended/)
      .first()
      .waitFor();
    expect(errors).toEqual([]);
  });
});

describe.skipIf(missing)(`a server over stdio${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('receives one call at a time, and the page says which call the next one waits for', async () => {
    const { inspector, call, callApi } = await openOven('tools/pid');
    const held = callApi('/mcp/oven/call', { method: 'POST', body: { toolName: 'hold', input: {} } });
    const messages = async () => ((await (await callApi('/mcp/oven')).json()) as ServerInspection).messages;
    await expect.poll(async () => JSON.stringify(await messages())).toContain('"name":"hold"');
    await call.click();
    await inspector.getByText('Waiting for the end of the call of “hold”.').waitFor();
    await inspector.getByRole('button', { name: 'Waiting …' }).waitFor();
    await inspector.getByRole('button', { name: 'Cancel the call' }).click();
    await inspector.getByText('The call was cancelled.').waitFor();
    await inspector.getByText('No message has been sent yet.').waitFor();
    await callApi('/servers/oven/reconnect', { method: 'POST' });
    await held;
  });

  it('has its subscriptions again after its process was killed, and the contents are read again', async () => {
    const { inspector, callTool, page } = await openOven('resources/oven%3A%2F%2Fheat');
    const contents = inspector.getByRole('region', { name: 'Contents of the resource' });
    const first = await callTool('pid');
    await contents.getByText(`process ${first}`).first().waitFor();
    await inspector.getByRole('button', { name: 'Subscribe', exact: true }).click();
    await inspector.getByText('The contents follow the changes').waitFor();
    process.kill(Number(first), 'SIGKILL');
    // Nothing but the subscription opens the connection again.
    await contents.getByText(`process ${first}`).first().waitFor({ state: 'detached' });
    const second = await callTool('pid');
    expect(second).not.toBe(first);
    await contents.getByText(`process ${second}`).first().waitFor();
    await inspector.getByRole('button', { name: 'Unsubscribe' }).click();
    await page.getByRole('tab', { name: 'Standard error' }).click();
    const lines = inspector.getByRole('region', { name: 'Standard error' });
    await lines.getByText(`process ${second} is not followed`).waitFor();
    expect(await lines.innerText()).toContain(`process ${second} is followed`);
  });
});

describe.skipIf(missing)(`the workspace of a server${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('keeps the input over another tool and a reload, and copies a call as JSON-RPC', async () => {
    const { page, inspector, call } = await openOven('tools/cook');
    const field = inspector.getByLabel('text', { exact: true });
    await field.fill('pie');
    await inspector.getByRole('link', { name: 'pid', exact: true }).click();
    await inspector.getByRole('region', { name: 'Tool pid' }).waitFor();
    expect(await field.inputValue()).toBe('');
    await page.goBack();
    await inspector.getByRole('region', { name: 'Tool cook' }).waitFor();
    expect(await field.inputValue()).toBe('pie');
    await page.reload();
    await inspector.getByRole('region', { name: 'Tool cook' }).waitFor();
    expect(await field.inputValue()).toBe('pie');
    await field.fill(`pie sk-proj-${'a1B2'.repeat(10)}`);
    await call.click();
    await inspector.getByText(/^Succeeded after/).waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await inspector.getByRole('button', { name: 'Copy call 1 as JSON-RPC' }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(JSON.parse(copied)).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'cook', arguments: { text: 'pie [redacted]' } },
    });
  });

  it('reports a schema that cannot be read, and sends the call', async () => {
    const { inspector, call } = await openOven('tools/odd');
    await call.click();
    await inspector.getByText(/without a check\. The schema cannot be read: Reference not found/).waitFor();
    await inspector.getByText(/^Succeeded after/).waitFor();
  });

  it('moves through the tools with the arrow keys', async () => {
    const { page, inspector } = await openOven('tools');
    await inspector.getByRole('searchbox', { name: 'Search tools' }).focus();
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('cook');
    await page.keyboard.press('ArrowUp');
    expect(await focused()).toBe('bake');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.type('burn');
    await inspector.getByText('1 of 9 tools').waitFor();
  });

  it('shows Markdown, text and pages, and a page runs and loads nothing', async () => {
    const { page, inspector, playground, errors } = await openOven('resources/oven%3A%2F%2Fpage');
    const foreign: string[] = [];
    page.on('request', request => {
      if (!request.url().startsWith(playground.url)) foreign.push(request.url());
    });
    const frame = inspector.frameLocator('iframe');
    await frame.getByRole('heading', { name: 'A page' }).waitFor();
    expect(await page.evaluate(() => 'attacked' in window)).toBe(false);
    expect(foreign).toEqual([]);
    // The browser logs what it has blocked.
    expect(errors.splice(0).length).toBeGreaterThan(0);
    await inspector.getByRole('button', { name: 'Markdown oven://markdown' }).click();
    await inspector.getByRole('heading', { name: 'A title' }).waitFor();
    expect(await inspector.locator('.markdown img').count()).toBe(0);
  });
});
