import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { missingChromium as missing } from '../_chromium.js';
import { startEmulator } from '../testing/_emulator.js';
import { findBrokenWords, findOverflow, findViolations } from './_accessibility.js';
import { openPage } from './_page.js';
import { expectShortTasks } from './_tasks.js';

const code = 'def f(x):\n    return "a" + x  # joined';
const source = 'graph TD\n  A[Start] --> B[End]';
const rich = `# Rich

\`\`\`python
${code}
\`\`\`

Inline $a^2+b^2=c^2$ and \\(x_1\\), for $5 or $6.

$$\\frac{1}{2}$$

\`\`\`mermaid
${source}
\`\`\`

- [x] done
- [ ] open

| Name | Argument | Third |
|---|---|---|
| alphabetical | considerations | ${'a long sentence that makes the third column wide '.repeat(6)} |
`;

const openAnswer = async () => {
  const emulator = await startEmulator();
  const opened = await openPage({ settings: { endpoint: emulator.baseURL } });
  const answer = opened.page.getByRole('article', { name: 'Response' }).last().locator('> .markdown');
  return { ...opened, emulator, answer };
};

/** Files that the page has loaded for the content of answers. */
const listLoaded = (page: Page): string[] => {
  const loaded: string[] = [];
  page.on('request', request => {
    const name = /(code-colours|markdown-math|diagram-frame|\/diagram\/\w+)/.exec(request.url())?.[0];
    if (name !== undefined) loaded.push(name);
  });
  return loaded;
};

describe.skipIf(missing)(`the content of answers${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('has colours, formulas and diagrams, which are loaded with the first answer that needs them', async () => {
    const { page, emulator, answer, ask, shoot } = await openAnswer();
    const loaded = listLoaded(page);
    emulator.enqueue([{ text: 'Plain, for $5.\n\n    code' }], [{ text: rich }]);
    await ask('Plain');
    await answer.locator('pre').waitFor();
    expect(loaded).toEqual([]);

    await ask('Rich');
    await answer.locator('.hljs-keyword').first().waitFor();
    const colours = await answer
      .locator('pre span')
      .evaluateAll(spans => new Set(spans.map(span => getComputedStyle(span).color)).size);
    expect(colours).toBeGreaterThan(2);
    expect(await answer.locator('.code-language').first().innerText()).toBe('python');
    await answer.locator('math').nth(2).waitFor();
    expect(await answer.locator('math[display="block"]').count()).toBe(1);
    expect(await answer.innerText()).toContain('for $5 or $6.');
    const image = answer.getByRole('img', { name: /Diagram with the source: graph TD/ });
    await image.waitFor();
    expect(await image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBeGreaterThan(40);
    expect(await answer.getByText('Source of the diagram').count()).toBe(1);
    expect(page.frames()).toHaveLength(1);
    expect(new Set(loaded)).toEqual(
      new Set([
        'code-colours',
        'markdown-math',
        'diagram-frame',
        '/diagram/index',
        '/diagram/mermaid',
        '/diagram/draw',
      ]),
    );

    const broken: string[] = [];
    const violations = await findViolations(page, 'content', {
      within: '.thread',
      async onEach(view) {
        await shoot(view);
        broken.push(...(await findOverflow(page)).map(name => `${view}: ${name}`));
        broken.push(
          ...(await findBrokenWords(page, '.thread :is(th, td, h3, summary, button)')).map(
            word => `${view}: ${word}`,
          ),
        );
      },
    });
    expect(violations).toEqual([]);
    expect(broken).toEqual([]);

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await answer.getByRole('button', { name: 'Copy the code' }).first().click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(code);
  });

  it('keeps the source of a diagram, with the reason, if drawing it does not end', async () => {
    const { page, emulator, answer, ask } = await openAnswer();
    await page.route('**/diagram/index.html', route => route.fulfill({ body: '', contentType: 'text/html' }));
    emulator.enqueue([{ text: `\`\`\`mermaid\n${source}\n\`\`\`` }]);
    await ask('Draw');
    await answer.getByText('drawing it took longer than 10 seconds').waitFor();

    expect(await answer.locator('pre').innerText()).toContain('A[Start] --> B[End]');
    await expect.poll(() => page.locator('.drawing-frame').count()).toBe(0);
  });

  it('is never run, follows no link, asks no other server, and does not block the page', async () => {
    const { page, playground, emulator, answer, ask, errors } = await openAnswer();
    const foreign: string[] = [];
    page.on('request', request => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(playground.url))
        foreign.push(request.url());
    });
    // Mermaid parses labels as HTML. The policy of its frame stops what they contain.
    page.on('console', message => {
      if (message.location().url.includes('/diagram/')) errors.splice(errors.indexOf(message.text()), 1);
    });
    page.on('dialog', dialog => {
      foreign.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    const diagrams = [
      'graph TD\n  A["<img src=http://x.invalid/a onerror=alert(1)>"] --> B\n  click A "javascript:alert(2)"\n  click B href "http://x.invalid/b"',
      '%%{init: {"securityLevel": "loose", "htmlLabels": true, "themeCSS": "@import url(http://x.invalid/c);"}}%%\ngraph TD\n  A["<script>alert(3)</script><iframe src=http://x.invalid/d>"] --> B',
      'graph TD\n  A["<b onclick=alert(4)>x</b>"] -- "<svg onload=alert(5)>" --> B\n  style A fill:url(http://x.invalid/e)',
      'this is no diagram',
      `graph TD\n${'  A --> B\n'.repeat(2000)}`,
    ];
    const formulas = String.raw`$\href{javascript:alert(6)}{x}$ $\includegraphics{http://x.invalid/f}$ $\htmlStyle{background:url(http://x.invalid/g)}{y}$ $\url{http://x.invalid/h}$

$$\def\a{\a\a}\a$$

$\color{red}{z}$ $\text{<img src=x onerror=alert(7)>}$ $\rule{99999em}{99999em}$`;
    const diagramText = diagrams.map(each => `\`\`\`mermaid\n${each}\n\`\`\`\n\n`).join('');
    const code = '```html\n<script>alert(8)</script><img src=http://x.invalid/i onerror=alert(9)>\n```\n';
    await expectShortTasks(page, async run => {
      if (run > 0) await page.getByRole('button', { name: 'New chat' }).click();
      emulator.enqueue([{ text: `${formulas}\n\n${code}` }]);
      await ask('Hostile');
      await answer.locator('math').nth(2).waitFor();
      await answer.locator('.hljs-tag').first().waitFor();
    });
    const live = 'a, script, iframe, img:not([src^="data:image/svg+xml"]), [onclick], [onerror]';
    expect(await answer.locator(live).count()).toBe(0);
    emulator.enqueue([{ text: diagramText }]);
    await ask('Diagrams');
    await expect
      .poll(() => answer.locator('.diagram [role=status]').allInnerTexts())
      .toEqual([
        expect.stringMatching(/^The diagram is not drawn: Parse error on line 3/),
        expect.stringMatching(/^The diagram is not drawn: No diagram type detected/),
        'The diagram is not drawn: its source has more than 10000 characters.',
      ]);
    await expect.poll(() => answer.locator('.diagram img').count()).toBe(2);
    expect(await answer.locator(live).count()).toBe(0);
    for (const image of await answer.locator('.diagram img').all()) {
      const svg = decodeURIComponent((await image.getAttribute('src')) ?? '');
      expect(svg).not.toMatch(/<script|<iframe|<foreignObject|\son\w+=|javascript:/i);
    }
    expect(page.frames()).toHaveLength(1);
    expect(foreign).toEqual([]);
  });
});
