import type { Page } from 'playwright-core';

/** Returns the controls without an accessible name: no label, no text. */
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

/** Returns the elements that overflow the right edge of the window. */
export const findOverflow = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    return [...document.querySelectorAll('body *')]
      .filter(element => element.getBoundingClientRect().right > clientWidth + 1)
      .map(element => `${element.tagName}.${element.className}`);
  });
