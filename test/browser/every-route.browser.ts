import { describe, expect, it } from 'vitest';
import { missingChromium as missing } from '../_chromium.js';
import { everythingOverStdio } from '../tools/mcp/_everything-server.js';
import { startEmulator } from '../testing/_emulator.js';
import { findNamelessControls, findOverflow, findViolations } from './_accessibility.js';
import { findOffScale, findOverlap } from './_overlap.js';
import { openPage } from './_page.js';

const answer = '# Title\n\n- [x] done\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n```ts\nconst a = 1;\n```';

describe.skipIf(missing)(`every route${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('has no violation, no overflow and no overlap at three sizes, light and dark', async () => {
    const emulator = await startEmulator();
    const { page, playground, ask, callApi, shoot, errors } = await openPage({
      mcpServers: { everything: { ...everythingOverStdio(), trustAnnotations: true } },
      settings: { endpoint: emulator.baseURL },
    });
    const found: string[] = [];
    const check = async (state: string): Promise<void> => {
      const onEach = async (view: string): Promise<void> => {
        await shoot(`route-${view}`);
        const problems = [...(await findOverflow(page)), ...(await findOverlap(page))];
        found.push(...problems.map(problem => `${view}: ${problem}`));
      };
      found.push(...(await findViolations(page, state, { onEach })));
      found.push(...(await findOffScale(page)).map(text => `${state}: not of the scale: ${text}`));
      found.push(...(await findNamelessControls(page)).map(control => `${state}: no name: ${control}`));
    };
    emulator.enqueue(
      [{ call: 'get-sum', arguments: { a: 17, b: 25 } }],
      [{ text: answer }],
      [{ text: 'Again.' }],
    );
    await ask('Add 17 and 25.');
    const chat = page.url();
    await check('chat');
    for (const part of ['Setup', 'Inspect', 'Chat']) {
      await page.setViewportSize({ width: 390, height: 844 });
      await page.getByRole('navigation', { name: 'Parts of the chat' }).getByText(part).click();
      if (part === 'Inspect') await page.locator('.events summary').first().click({ trial: true });
      await shoot(`route-part-${part}`);
      const problems = [...(await findOverflow(page)), ...(await findOverlap(page))];
      found.push(...problems.map(problem => `${part} on a phone: ${problem}`));
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('button', { name: 'New chat' }).click();
    await check('new chat');
    await ask('Add them again.');
    const [first = '', second = ''] = (
      (await (await callApi('/traces')).json()) as { messageId: string }[]
    ).map(({ messageId }) => messageId);

    for (const [state, path, text] of [
      ['turn', `${new URL(chat).pathname}/turns/${second}`, 'Add 17 and 25.'],
      ['servers', '/servers', '16 tools'],
      ['tool', '/servers/everything/tools/get-sum', 'Call the tool'],
      ['resources', '/servers/everything/resources', 'architecture.md'],
      ['prompts', '/servers/everything/prompts', 'Refresh'],
      ['messages', '/servers/everything/messages', 'tools/list'],
      ['stderr', '/servers/everything/stderr', 'Starting default (STDIO) server'],
      ['connection', '/servers/everything/connection', 'Roots'],
      ['traces', '/traces', '2 of 2 turns'],
      ['trace', `/traces/${second}`, 'Save as test'],
      ['comparison', `/traces/compare?a=${first}&b=${second}`, 'call get-sum'],
      ['settings', '/settings', 'Prices'],
      ['missing chat', '/chats/none', 'There is no such chat'],
      ['missing trace', '/traces/none', 'There is no such trace'],
      ['missing page', '/settings/else', 'There is no such page'],
    ] as const) {
      await page.goto(playground.url + path);
      await page.getByText(text).filter({ visible: true }).first().waitFor();
      await check(state);
    }
    expect(found).toEqual([]);
    // Those of the missing chat and trace.
    expect(errors.splice(0).every(error => error.includes('404'))).toBe(true);
  });
});
