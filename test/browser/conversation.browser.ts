import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { startEmulator } from '../testing/_emulator.js';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';
import { findNamelessControls } from './_accessibility.js';
import { missingChromium as missing } from '../_chromium.js';
import { chooseOption, openPage } from './_page.js';

const everything = { everything: { ...everythingOverStdio(), trustAnnotations: true } };

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);
const image = { name: 'pixel.png', mimeType: 'image/png', buffer: PIXEL };
const paper = { name: 'paper.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4') };

const messages = (page: Page): Promise<string[]> =>
  page
    .locator('.message')
    .evaluateAll(all =>
      all.map(message =>
        [...message.querySelectorAll(':scope > p:not(.note), :scope > .markdown')]
          .map(({ textContent }) => textContent)
          .join(' '),
      ),
    );

/** Waits for messages. Markdown is rendered gradually, after the end of a turn, too. */
const expectMessages = (page: Page, expected: readonly string[]): Promise<void> =>
  expect.poll(() => messages(page)).toEqual(expected);

/** Presses a button that copies, and returns what it has copied. The page writes to the clipboard after the click. */
async function copyWith(page: Page, button: Locator): Promise<string> {
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await button.click();
  let copied = '';
  const read = async (): Promise<string> =>
    (copied = await page.evaluate(() => navigator.clipboard.readText()));
  await expect.poll(read).not.toBe('');
  return copied;
}

/** Gives a file to the page as a paste or a drop does. */
const giveFile = (page: Page, kind: 'paste' | 'drop', target: string): Promise<void> =>
  page.locator(target).evaluate(
    (element, { kind: type, base64 }) => {
      const bytes = Uint8Array.from(atob(base64), character => character.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], `${type}.png`, { type: 'image/png' }));
      const options = { bubbles: true, cancelable: true };
      element.dispatchEvent(
        type === 'paste'
          ? new ClipboardEvent('paste', { ...options, clipboardData: data })
          : new DragEvent('drop', { ...options, dataTransfer: data }),
      );
    },
    { kind, base64: PIXEL.toString('base64') },
  );

describe.skipIf(missing)(`a conversation${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('keeps both versions of an edited message and of an answer, and switches between them', async () => {
    const { page, ask, shoot } = await openPage({ mcpServers: {} });
    await ask('One');
    await ask('Two');
    await page.getByRole('button', { name: 'Edit this message' }).first().click();
    await page.getByLabel('Text of the message').fill('Three');
    await shoot('edit-message');
    await page.getByRole('button', { name: 'Send the edited message' }).click();
    await page.getByRole('log').getByText('You said: Three').waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
    await expectMessages(page, ['Three', 'You said: Three']);
    await page.getByRole('button', { name: 'Previous version' }).click();
    await expectMessages(page, ['One', 'You said: One', 'Two', 'You said: Two']);
    await page.getByRole('button', { name: 'Answer this message again' }).first().click();
    await page.locator('.assistant .versions').waitFor();
    await expectMessages(page, ['One', 'You said: One']);
    await page.locator('.assistant').getByRole('button', { name: 'Previous version' }).click();
    await page.getByRole('log').getByText('You said: Two').waitFor();
    await page.reload();
    await page.getByRole('log').getByText('You said: Two').waitFor();

    expect(await page.locator('.versions').allInnerTexts()).toEqual([
      expect.stringMatching(/1 of 2/),
      expect.stringMatching(/1 of 2/),
    ]);
  });

  it('copies messages, tool arguments, results and the conversation as Markdown', async () => {
    const { page, ask } = await openPage({ mcpServers: everything });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await ask('Get the sum of 1 and 2.');
    const copy = (name: string): Promise<string> =>
      copyWith(page, page.getByRole('button', { name, exact: true }));
    await page.locator('.tool-part summary').click();
    const whole = await copy('Copy the conversation as Markdown');

    expect(await copy('Copy the message')).toBe('Get the sum of 1 and 2.');
    expect(JSON.parse(await copy('Copy Arguments of get-sum'))).toEqual({ a: 1, b: 2 });
    expect(await copy('Copy the result of get-sum')).toBe('The sum of 1 and 2 is 3.');
    expect(await copy('Copy the response')).toContain('**Tool call** `get-sum`');
    expect(whole).toContain(
      '# Get the sum of 1 and 2.\n\n## User\n\nGet the sum of 1 and 2.\n\n## Assistant',
    );
    expect(whole).toContain('```\nThe sum of 1 and 2 is 3.\n```');
  });

  it('attaches files by button, paste and drop, shows them after a reload, and describes them in exports', async () => {
    const { page, ended, shoot } = await openPage({ mcpServers: {} });
    await page.getByLabel('Files to attach').setInputFiles([image, paper]);
    await page.getByRole('button', { name: 'Remove paper.pdf' }).waitFor();
    await giveFile(page, 'paste', '.composer textarea');
    await giveFile(page, 'drop', '.conversation');
    await page.getByRole('button', { name: 'Remove paste.png' }).waitFor();
    await page.getByRole('button', { name: 'Remove drop.png' }).click();
    const nameless = await findNamelessControls(page);
    await shoot('attachments');
    await page
      .getByLabel('Files to attach')
      .setInputFiles({ ...paper, name: 'a.txt', mimeType: 'text/plain' });
    const problem = await page.locator('.composer [role="alert"]').innerText();
    await page.getByRole('textbox', { name: 'Message' }).fill('What is this?');
    await page.keyboard.press('Enter');
    await ended();
    await page
      .getByRole('article', { name: 'Response' })
      .getByText('an image (image/png), a file (application/pdf), an image (image/png), What is this?')
      .waitFor();
    await page.reload();
    const shown = page.getByRole('list', { name: 'Files of this message' });
    await shown.getByText('paper.pdf').waitFor();
    const sizes = () =>
      shown
        .locator('img')
        .evaluateAll(images => images.map(element => (element as HTMLImageElement).naturalWidth));
    // Images are decoded after they are added to the page.
    await expect.poll(sizes).toEqual([1, 1]);
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const report = page.getByLabel('Text of the report: Export');
    await expect.poll(() => report.inputValue()).toContain('"paper.pdf"');

    expect(nameless).toEqual([]);
    expect(problem).toBe(
      'Expected a PNG, JPEG, GIF or WebP image or a PDF, got a.txt with the type text/plain.',
    );
    expect(await report.inputValue()).not.toContain(PIXEL.toString('base64').slice(0, 40));
  });

  it('sends the parameters that have a value, and shows structured output as a tree', async () => {
    const { page, ask, shoot } = await openPage({ mcpServers: {} });
    await page.getByText('Parameters', { exact: true }).click();
    await page.getByLabel('Maximum output tokens').fill('many');
    await page.getByLabel('Temperature').fill('0.5');
    await page.getByText('Expected a whole number from 1, or nothing.').waitFor();
    await page.getByLabel('Maximum output tokens').fill('500');
    await page.getByLabel('Model', { exact: true }).fill('gpt-5.1');
    await chooseOption(page, 'Reasoning effort', 'none');
    await page.getByLabel('Verbosity').selectOption('low');
    await page.getByLabel('Tool choice').selectOption('none');
    await page.getByLabel('Parallel tool calls').selectOption('off');
    await page
      .getByLabel('JSON schema of the response')
      .fill(
        '{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}',
      );
    await page.getByLabel('Temperature').focus();
    await page.getByText('Parameters · 6 set').waitFor();
    await ask('"Rome"');
    const tree = page.getByRole('region', { name: 'Structured output' });
    await tree.getByText('Rome').waitFor();
    await shoot('structured-output');
    await page.reload();
    await tree.getByText('Rome').waitFor();
    const stored = await page.getByLabel('Temperature').inputValue();
    await page.getByRole('tab', { name: 'Request', exact: true }).click();
    const body = await page.getByRole('region', { name: 'Request body' }).innerText();

    expect(await page.getByText('The response matches the schema.').count()).toBe(1);
    expect(stored).toBe('0.5');
    for (const sent of [
      '"temperature": 0.5',
      '"max_output_tokens": 500',
      '"effort": "none"',
      '"verbosity": "low"',
    ])
      expect(body).toContain(sent);
    for (const sent of ['"tool_choice": "none"', '"parallel_tool_calls": false', '"json_schema"'])
      expect(body).toContain(sent);
  });

  it('is found by its text, renamed, deleted and restored', async () => {
    const { page, ask, shoot } = await openPage({ mcpServers: {} });
    await ask('The needle is here.');
    await page.getByRole('button', { name: 'New chat' }).click();
    await ask('Something else');
    await page.getByRole('tab', { name: 'Chats' }).click();
    const titles = page.locator('.conversation-title > span');
    await page.getByRole('searchbox', { name: 'Search conversations' }).fill('said: the NEEDLE');
    const excerpt = page.locator('.excerpt mark');
    await excerpt.waitFor();
    await shoot('search');
    const found = { titles: await titles.allInnerTexts(), excerpt: await excerpt.innerText() };
    await page.getByRole('searchbox', { name: 'Search conversations' }).fill('');
    await titles.nth(1).waitFor();
    await page.getByRole('button', { name: 'Rename “Something else”' }).click();
    await page.getByLabel('Title of the conversation').fill('Not this');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Rename “Something else”' }).click();
    await page.getByLabel('Title of the conversation').fill('Renamed');
    await page.keyboard.press('Enter');
    await titles.getByText('Renamed').waitFor();
    await page.getByRole('button', { name: 'Delete “Renamed”' }).click();
    await page.getByText('“Renamed” is deleted.').waitFor();
    const left = await titles.allInnerTexts();
    await page.getByRole('button', { name: 'Undo' }).click();
    await titles.getByText('Renamed').click();
    await page.getByRole('log').getByText('You said: Something else').waitFor();

    expect(found).toEqual({ titles: ['The needle is here.'], excerpt: 'said: The needle' });
    expect(left).toEqual(['The needle is here.']);
  });

  it('shows no price until the user has entered one, then the cost of a turn and of the conversation', async () => {
    const emulator = await startEmulator();
    const { page, ask, shoot } = await openPage({
      mcpServers: {},
      settings: { endpoint: emulator.baseURL, modelId: 'own-model' },
    });
    const usage = {
      input_tokens: 1000,
      input_tokens_details: { cached_tokens: 400 },
      output_tokens: 100,
      total_tokens: 1100,
    };
    emulator.enqueue({ output: [{ text: 'One.' }], usage }, { output: [{ text: 'Two.' }], usage });
    await ask('First');
    await ask('Second');
    await page.locator('.turn-summary', { hasText: 'no price' }).nth(1).waitFor();
    await page.getByRole('link', { name: 'no price', exact: true }).click();
    await page.getByText('openai.com').waitFor();
    await page.getByLabel('Input of own-model', { exact: true }).fill('1');
    await page.getByRole('button', { name: 'Save the prices' }).click();
    const problem = await page.getByRole('alert').innerText();
    await page.getByLabel('Cached input of own-model').fill('0.1');
    await page.getByLabel('Output of own-model').fill('10');
    await shoot('prices');
    await page.getByRole('button', { name: 'Save the prices' }).click();
    await page.getByText('The prices are saved.').waitFor();
    await page.getByRole('link', { name: 'Chats' }).click();
    await page.getByRole('link', { name: '$0.00328' }).waitFor();

    expect(problem).toBe('Expected a price from 0 for cached input of own-model, got “”.');
    expect(await page.locator('.turn-summary').allInnerTexts()).toEqual([
      expect.stringMatching(/ · \$0\.001640$/),
      expect.stringMatching(/ · \$0\.001640$/),
    ]);
  });

  it('compares two models side by side, and keeps them for the next question', async () => {
    const { page, shoot } = await openPage({ mcpServers: {} });
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByLabel('Right: provider').selectOption('kelivo');
    await page.getByLabel('Right: model').fill('gpt-5-mini');
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
    await page.keyboard.press('Enter');
    await page.locator('.comparison td', { hasText: 'finished' }).nth(1).waitFor();
    await shoot('compare-models');
    await page.reload();
    await page.locator('.comparison').waitFor();

    expect(await page.locator('.turn-summary').allInnerTexts()).toEqual([
      expect.stringMatching(/^kelivo · gpt-5 · /),
      expect.stringMatching(/^kelivo · gpt-5-mini · /),
    ]);
    expect(await page.locator('.comparison > table thead th').allInnerTexts()).toEqual([
      'Last response',
      'gpt-5',
      'gpt-5-mini',
    ]);
    expect(await page.getByLabel('Right: model').inputValue()).toBe('gpt-5-mini');
  });

  it('is shown as code: TypeScript with this package, and curl', async () => {
    const { page, ask, shoot } = await openPage({ mcpServers: everything });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await ask('Get the sum of 1 and 2.');
    await page.getByRole('button', { name: 'Code' }).click();
    const code = page.getByRole('region', { name: 'Code' });
    await code.getByText('createKelivoResponsesProvider').first().waitFor();
    await shoot('code');
    const typescript = await code.innerText();
    await page.locator('label', { hasText: 'AI SDK 6' }).click();
    const older = await code.innerText();
    await page.locator('label', { hasText: 'curl' }).click();
    const curl = await code.innerText();
    const copied = await copyWith(
      page,
      page.locator('.dialog').getByRole('button', { name: 'Copy the code' }),
    );

    expect(typescript).toContain("prompt: 'Get the sum of 1 and 2.'");
    expect(typescript).toContain("from 'kelivo-responses/v4'");
    expect(older).toContain("from 'kelivo-responses/v3'");
    expect(curl).toMatch(/^curl -N 'http:\/\/127\.0\.0\.1:\d+\/v1\/responses'/);
    expect(copied.trim()).toBe(curl.trim());
  });

  it('sends the reason of a rejection to the model', async () => {
    const { page, ended } = await openPage({ mcpServers: everything });
    await page.locator('label', { hasText: 'Always' }).click();
    await page.getByRole('textbox', { name: 'Message' }).fill('Get the sum of 1 and 2.');
    await page.keyboard.press('Enter');
    await page.getByLabel('Reason for a rejection').fill('Use a calculator.');
    await page.getByRole('button', { name: 'Reject' }).click();
    await ended();

    await page.getByRole('article', { name: 'Response' }).getByText('Use a calculator.').waitFor();
  });

  it('shows the end of a turn together with its stored response', async () => {
    const { page, ask } = await openPage({ mcpServers: {} });
    await ask('Hello');

    expect(await page.locator('.turn-summary').innerText()).toMatch(/1 round · \d[\d.]* m?s$/);
    expect(await page.getByRole('button', { name: 'Copy the response' }).count()).toBe(1);
    expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(0);
    await expectMessages(page, ['Hello', 'You said: Hello']);
  });
});
