import { describe, expect, it } from 'vitest';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';
import { missingChromium as missing } from '../_chromium.js';
import { openPage } from './_page.js';

describe.skipIf(missing)(`the MCP inspector${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('calls tools by a form, reads resources, fills in prompts, and shows messages and requests', async () => {
    const { page, shoot } = await openPage({ mcpServers: { everything: everythingOverStdio() } });
    await page.getByRole('tab', { name: 'MCP servers' }).click();
    await page.locator('.server-card[data-state="ready"]').waitFor();
    await page.getByRole('button', { name: 'Inspect everything' }).click();
    const inspector = page.getByRole('dialog', { name: /everything/ });
    await inspector.getByLabel('Tool', { exact: true }).selectOption('get-sum');
    await inspector.getByRole('button', { name: 'Call the tool' }).click();
    const missingArgument = await inspector.getByRole('alert').innerText();
    await inspector.getByLabel('a (required)').fill('17');
    await inspector.getByLabel('b (required)').fill('25');
    await inspector.getByRole('button', { name: 'Call the tool' }).click();
    const result = inspector.getByRole('region', { name: 'Result of the call' });
    await result.getByText('The sum of 17 and 25 is 42.').waitFor();
    await shoot('mcp-tool');

    await inspector.getByRole('tab', { name: 'Prompts' }).click();
    await inspector.getByLabel('Prompt', { exact: true }).selectOption('args-prompt');
    await inspector.getByLabel('city').fill('Oslo');
    await inspector.getByRole('button', { name: 'Fill in' }).click();
    await inspector.getByText(/weather in Oslo/).waitFor();

    await inspector.getByRole('tab', { name: 'Resources' }).click();
    await inspector.locator('.mcp-list button').first().click();
    await inspector.getByRole('region', { name: 'Contents of the resource' }).waitFor();

    await inspector.getByRole('tab', { name: 'JSON-RPC' }).click();
    await inspector
      .getByText(/^prompts\/get #/)
      .first()
      .waitFor();

    await inspector.getByRole('tab', { name: 'Tools' }).click();
    await inspector.getByLabel('Tool', { exact: true }).selectOption('trigger-sampling-request');
    await inspector.getByLabel('prompt (required)').fill('What is this?');
    await inspector.getByRole('button', { name: 'Call the tool' }).click();
    const question = page.getByRole('dialog', { name: /requests a completion/ });
    await question.getByLabel('Completion').fill('An inspector.');
    await shoot('mcp-sampling');
    await question.getByRole('button', { name: 'Send' }).click();
    await result.getByText(/An inspector\./).waitFor();

    expect(missingArgument).toContain('Expected a value for “a”');
    expect(await question.count()).toBe(0);
  });
});
