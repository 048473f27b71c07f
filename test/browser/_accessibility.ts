import axe, { type AxeResults, type RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const desktop = { width: 1440, height: 900 };

const sizes = [desktop, { width: 1024, height: 768 }, { width: 390, height: 844 }];

/** The scheme changes only colours, so the other rules find the same in the light one. */
const COLOR_RULES: RunOptions = { runOnly: ['color-contrast', 'link-in-text-block'] };

declare global {
  interface Window {
    axe: { run(context: string, options: RunOptions): Promise<AxeResults> };
  }
}

export interface FindViolationsOptions {
  /** Selector of the part to check. @default the complete page */
  readonly within?: string;
  /** @default three sizes */
  readonly isDesktopOnly?: boolean;
  /** Called at each size, in light and dark. */
  readonly onEach?: (view: string) => Promise<void>;
}

/** Returns the violations that axe finds in a state of the page, light and dark. */
export async function findViolations(
  page: Page,
  state: string,
  { within = 'html', isDesktopOnly = false, onEach }: FindViolationsOptions = {},
): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const found = new Set<string>();
  for (const size of isDesktopOnly ? [desktop] : sizes) {
    await page.setViewportSize(size);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const options: RunOptions = { resultTypes: ['violations'], ...(colorScheme === 'dark' && COLOR_RULES) };
      const { violations } = await page.evaluate(([selector, rules]) => window.axe.run(selector, rules), [
        within,
        options,
      ] as const);
      const view = `${state}-${size.width}-${colorScheme}`;
      for (const { id, nodes } of violations) {
        for (const { html, failureSummary } of nodes)
          found.add(`${view}: ${id}: ${html.slice(0, 160)} ${failureSummary ?? ''}`);
      }
      await onEach?.(view);
    }
  }
  await page.setViewportSize(desktop);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  return [...found];
}

/** Returns the controls without an accessible name: no label, no text. Those that are hidden from screen readers need none. */
export const findNamelessControls = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const controls = document.querySelectorAll<HTMLElement>(
      'button, a[href], input, select, textarea, summary, [role="tab"], dialog, progress',
    );
    const isNamed = (element: HTMLElement): boolean => {
      const references = element.getAttribute('aria-labelledby')?.split(' ') ?? [];
      const labels =
        element instanceof HTMLInputElement ||
        element instanceof HTMLSelectElement ||
        element instanceof HTMLTextAreaElement
          ? [...(element.labels ?? [])]
          : [];
      return [
        element.getAttribute('aria-label'),
        ...references.map(id => document.getElementById(id)?.textContent),
        ...labels.map(label => label.textContent),
        element.textContent,
      ].some(text => (text ?? '').trim() !== '');
    };
    return [...controls]
      .filter(control => control.ariaHidden !== 'true' && !isNamed(control))
      .map(control => control.outerHTML.slice(0, 200));
  });

/** Returns the elements that overflow the right edge of the window. */
export const findOverflow = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    return [...document.querySelectorAll('body *')]
      .filter(element => element.getBoundingClientRect().right > clientWidth + 1)
      .map(element => `${element.tagName}.${element.className}`);
  });

/** Returns the words of at most 20 characters that continue on another line, in visible cells of tables. */
export const findBrokenWords = (page: Page, cells: string): Promise<string[]> =>
  page.evaluate(selector => {
    const range = document.createRange();
    const broken: string[] = [];
    for (const cell of document.querySelectorAll(selector)) {
      if (cell.closest('details') !== null) continue;
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
        for (const { 0: word, index } of text.nodeValue?.matchAll(/\S+/g) ?? []) {
          if (word.length > 20) continue;
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1)
            broken.push(word);
        }
      }
    }
    return broken;
  }, cells);
