import type { Page } from 'playwright-core';

/** Returns the visible texts whose size or weight is not one of the scale. */
export const findOffScale = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found = new Set<string>();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      const element = text.parentElement;
      if (element === null || text.nodeValue?.trim() === '' || !element.checkVisibility()) continue;
      const { fontSize, fontWeight } = getComputedStyle(element);
      if (/^(12|13|14|15|18|22)px$/.test(fontSize) && /^(400|600)$/.test(fontWeight)) continue;
      found.add(
        `${element.tagName} ${fontSize} ${fontWeight}: ${(text.nodeValue ?? '').trim().slice(0, 30)}`,
      );
    }
    return [...found];
  });

/** Returns the visible texts and controls that another element covers. */
export const findOverlap = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found = new Set<string>();
    /** Returns true if an ancestor hides the point, because it scrolls or clips its content. */
    const isCut = (element: Element, x: number, y: number): boolean => {
      for (let above: Element | null = element; above !== null; above = above.parentElement) {
        if (getComputedStyle(above).overflow === 'visible') continue;
        const { left, right, top, bottom } = above.getBoundingClientRect();
        if (x < left || x > right || y < top || y > bottom) return true;
      }
      return false;
    };
    const check = (element: Element, { left, right, top, bottom, width, height }: DOMRect): void => {
      if (width < 3 || height < 3 || !element.checkVisibility({ visibilityProperty: true })) return;
      if (getComputedStyle(element).pointerEvents === 'none') return;
      for (const x of [left + 2, (left + right) / 2, right - 2]) {
        const y = (top + bottom) / 2;
        if (x < 0 || y < 0 || x > innerWidth || y > innerHeight || isCut(element, x, y)) continue;
        const hit = document.elementFromPoint(x, y);
        if (hit === null || hit.contains(element) || element.contains(hit)) continue;
        found.add(`${describe(hit)} covers ${describe(element)}`);
      }
    };
    const describe = (element: Element): string =>
      `${element.tagName.toLowerCase()}.${element.className.toString()} “${(element.textContent ?? '').trim().slice(0, 30)}”`;
    for (const control of document.querySelectorAll('button, a[href], input, select, textarea, summary')) {
      // A control that only its label shows.
      if (getComputedStyle(control).opacity !== '0') check(control, control.getBoundingClientRect());
    }
    const range = document.createRange();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      if (text.parentElement === null || text.nodeValue?.trim() === '') continue;
      range.selectNodeContents(text);
      for (const rect of range.getClientRects()) check(text.parentElement, rect);
    }
    return [...found];
  });
