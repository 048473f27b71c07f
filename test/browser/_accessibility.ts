import type { Page } from 'playwright-core';

/** The controls of the page that nobody could name: no label, no text, no title. */
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
    return [...controls].filter(control => !isNamed(control)).map(control => control.outerHTML.slice(0, 200));
  });

/** Parts of the page that stick out of the window at its right. */
export const findOverflow = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    return [...document.querySelectorAll('body *')]
      .filter(element => element.getBoundingClientRect().right > clientWidth + 1)
      .map(element => `${element.tagName}.${element.className}`);
  });
