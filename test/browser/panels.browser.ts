import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { missingChromium as missing } from '../_chromium.js';
import { openPage } from './_page.js';

const widthOf = async (page: Page, selector: string): Promise<number> =>
  (await page.locator(selector).boundingBox())?.width ?? 0;

describe.skipIf(missing)(`panels${missing === undefined ? '' : ` (${missing})`}`, () => {
  it('are resized with the keyboard within limits, and keep their width after a reload', async () => {
    const { page } = await openPage();
    const list = page.getByRole('separator', { name: 'Width of the list' });
    const inspector = page.getByRole('separator', { name: 'Width of the inspector' });
    const initial = {
      list: await widthOf(page, '.side-panel'),
      inspector: await widthOf(page, '.inspector'),
    };
    expect(initial.list).toBe(280);

    await list.press('ArrowRight');
    await list.press('ArrowRight');
    expect(await widthOf(page, '.side-panel')).toBe(312);
    await inspector.press('ArrowRight');
    expect(await widthOf(page, '.inspector')).toBeCloseTo(initial.inspector - 16, -1);
    await expect.poll(() => list.getAttribute('aria-valuetext')).toBe('312 pixels');
    await expect.poll(() => list.getAttribute('aria-valuenow')).toBe('22');

    // From its first frame on.
    await page.addInitScript(() => {
      const widths = new Set<number>();
      Object.assign(window, { widths });
      const look = (): void => {
        const panel = document.querySelector('.side-panel');
        if (panel !== null) widths.add(panel.getBoundingClientRect().width);
        requestAnimationFrame(look);
      };
      look();
    });
    await page.reload();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    expect(await page.evaluate(() => [...(window as unknown as { widths: Set<number> }).widths])).toEqual([
      312,
    ]);
    await page.getByRole('link', { name: 'MCP servers' }).click();
    await page.getByRole('region', { name: 'MCP servers' }).waitFor();
    expect(await widthOf(page, '.side-panel')).toBe(312);
    await page.getByRole('link', { name: 'Chats' }).click();

    await list.press('End');
    await inspector.press('Home');
    expect(await widthOf(page, '.side-panel')).toBe(432);
    expect(await widthOf(page, '.inspector')).toBe(360);
    await inspector.press('End');
    expect(await widthOf(page, '.conversation')).toBeGreaterThanOrEqual(360);
    await list.press('Home');
    expect(await widthOf(page, '.side-panel')).toBe(220);
    await list.dblclick();
    await inspector.dblclick();
    expect(await widthOf(page, '.side-panel')).toBe(initial.list);
    expect(await widthOf(page, '.inspector')).toBe(initial.inspector);
    await page.reload();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    expect(await widthOf(page, '.side-panel')).toBe(initial.list);
  });

  it('follow the mouse, and have no separator where they are not beside each other', async () => {
    const { page } = await openPage();
    const separator = page.getByRole('separator', { name: 'Width of the list' });
    const box = await separator.boundingBox();
    if (box === null) throw new Error('Expected a separator, got none.');
    await page.mouse.move(box.x + 5, 300);
    await page.mouse.down();
    await page.mouse.move(box.x + 65, 300, { steps: 4 });
    await page.mouse.up();
    await page.mouse.move(box.x + 200, 300);
    expect(await widthOf(page, '.side-panel')).toBe(340);
    await page.setViewportSize({ width: 1024, height: 768 });
    await expect.poll(() => page.getByRole('separator').count()).toBe(1);
    const conversation = await page.locator('.conversation').boundingBox();
    const inspector = await page.locator('.inspector').boundingBox();
    expect(inspector?.y).toBeGreaterThanOrEqual((conversation?.y ?? 0) + (conversation?.height ?? 0));
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => page.getByRole('separator').count()).toBe(0);
  });
});
