import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';
import { config } from 'zod';

// The policy of the page forbids the code that the library would generate.
config({ jitless: true });

/** Milliseconds. */
const START_LIMIT = 10_000;

/** Limits of a message of an app. The package checks each value, which blocks the page for long if there are millions. */
const MESSAGE_LIMITS = { values: 100_000, characters: 5_000_000 };

export type AppHandlers = Pick<
  AppBridge,
  'oncalltool' | 'onopenlink' | 'onreadresource' | 'onmessage' | 'onupdatemodelcontext' | 'onsizechange'
>;
type ToolResult = Parameters<AppBridge['sendToolResult']>[0];

export interface AppCall {
  readonly address: string;
  readonly input: object;
  readonly result: ToolResult;
  readonly handlers: AppHandlers;
  /** True in a conversation, to which the app may write. */
  readonly canWrite: boolean;
  /** Aborts when the frame is removed. */
  readonly signal: AbortSignal;
}

/** Returns the result of a tool as its server sent it. In a conversation, a text or structured content stands for it. */
export function toToolResult(output: unknown, { isError }: { isError: boolean }): ToolResult {
  const isObject = typeof output === 'object' && output !== null && !Array.isArray(output);
  if (isObject && 'content' in output && Array.isArray(output.content)) return output as ToolResult;
  const text = typeof output === 'string' ? output : JSON.stringify(output ?? null);
  return {
    content: [{ type: 'text', text }],
    ...(isObject && { structuredContent: output as Record<string, unknown> }),
    ...(isError && { isError }),
  };
}

/**
 * Loads an app into its frame, and sends it the arguments and the result of its call. Resolves when the app has started.
 *
 * @throws Error if the app does not start.
 */
export async function runApp(
  frame: HTMLIFrameElement,
  { address, input, result, handlers, canWrite, signal }: AppCall,
): Promise<void> {
  const { contentWindow: view } = frame;
  if (view === null) return;
  const bridge = new AppBridge(
    null,
    { name: 'kelivo-responses-playground', version: '0.1.0' },
    {
      openLinks: {},
      serverTools: {},
      serverResources: {},
      ...(canWrite && { message: { text: {} }, updateModelContext: { text: {}, structuredContent: {} } }),
    },
    { hostContext: { theme: readColours(), displayMode: 'inline', availableDisplayModes: ['inline'] } },
  );
  Object.assign(bridge, handlers);
  const started = new Promise<void>((resolve, reject) => {
    bridge.oninitialized = () => resolve();
    const reason = new Error(`The app did not start within ${START_LIMIT / 1000} seconds.`);
    setTimeout(reject, START_LIMIT, reason);
  });
  signal.addEventListener('abort', () => void bridge.close());
  // Before the listener of the transport.
  window.addEventListener('message', event => event.source === view && refuseLarge(event, view), { signal });
  await bridge.connect(new PostMessageTransport(view, view));
  frame.src = address;
  await started;
  await bridge.sendToolInput({ arguments: { ...input } });
  await bridge.sendToolResult(result);
}

function refuseLarge(event: MessageEvent<unknown>, view: Window): void {
  if (isSmall(event.data)) return;
  event.stopImmediatePropagation();
  const { id } = (event.data ?? {}) as { id?: unknown };
  if (typeof id !== 'number' && typeof id !== 'string') return;
  const error = { code: -32600, message: 'The message is too large for the playground.' };
  view.postMessage({ jsonrpc: '2.0', id, error }, '*');
}

function isSmall(message: unknown): boolean {
  const open = [message];
  let { values, characters } = MESSAGE_LIMITS;
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'string') characters -= value.length;
    else if (typeof value === 'object' && value !== null) {
      // JSON has no bytes.
      if (ArrayBuffer.isView(value) || (Array.isArray(value) && value.length > values)) return false;
      const entries = Object.entries(value);
      for (const [key, child] of entries) {
        characters -= key.length;
        open.push(child);
      }
      values -= entries.length;
    }
    if (values < 0 || characters < 0) return false;
  }
  return true;
}

function readColours(): 'light' | 'dark' {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}
