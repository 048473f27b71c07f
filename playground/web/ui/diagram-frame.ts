/** Milliseconds for loading the frame and drawing a diagram. */
const LIMIT = 10_000;

let frame: HTMLIFrameElement | undefined;
let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/**
 * Draws a diagram as SVG. Mermaid writes styles into the document, which the policy of the page forbids, so it runs in a frame
 * with an opaque origin. Browsers run such a frame in a separate process, so a slow diagram does not block the page. The frame
 * is removed after the last diagram, and after one that does not end.
 *
 * @throws Error if the source is invalid, or drawing it takes too long.
 */
export function drawDiagram(source: string): Promise<string> {
  waiting++;
  const drawing = last.then(() => drawInFrame(source));
  last = drawing.then(
    () => --waiting === 0 && removeFrame(),
    () => --waiting === 0 && removeFrame(),
  );
  return drawing;
}

function removeFrame(): void {
  frame?.remove();
  frame = undefined;
}

function openFrame(): HTMLIFrameElement {
  const opened = document.createElement('iframe');
  opened.className = 'drawing-frame';
  opened.setAttribute('sandbox', 'allow-scripts');
  opened.setAttribute('aria-hidden', 'true');
  opened.tabIndex = -1;
  opened.src = '/diagram/index.html';
  document.body.append(opened);
  return opened;
}

function drawInFrame(source: string): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => {
      window.removeEventListener('message', onMessage);
      removeFrame();
      reject(new Error(`drawing it took longer than ${LIMIT / 1000} seconds.`));
    }, LIMIT);
    function onMessage({ source: sender, data }: MessageEvent<unknown>): void {
      if (sender !== frame?.contentWindow || typeof data !== 'object' || data === null) return;
      // The frame has an opaque origin, which cannot be named.
      if ('isReady' in data) return frame?.contentWindow?.postMessage(source, '*');
      window.removeEventListener('message', onMessage);
      clearTimeout(timer);
      if ('svg' in data && typeof data.svg === 'string') resolve(data.svg);
      else reject(new Error('failure' in data ? String(data.failure) : 'the frame sent no drawing.'));
    }
    window.addEventListener('message', onMessage);
    if (frame === undefined) frame = openFrame();
    else frame.contentWindow?.postMessage(source, '*');
  });
}
