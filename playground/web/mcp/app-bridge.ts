import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';
import { config } from 'zod';

// The policy of the page forbids the code that the library would generate.
config({ jitless: true });

/** Milliseconds. */
const START_LIMIT = 10_000;

type Handlers = Pick<AppBridge, 'oncalltool' | 'onopenlink' | 'onreadresource' | 'onsizechange'>;
type ToolResult = Parameters<AppBridge['sendToolResult']>[0];

export interface AppCall {
  readonly address: string;
  readonly input: object;
  /** The result as the server sent it, or the text of an error. */
  readonly result: unknown;
  readonly handlers: Handlers;
  /** Aborts when the frame is removed. */
  readonly signal: AbortSignal;
}

/** Converts the text of an error to a tool result. Other results stay as they are. */
export const toToolResult = (result: unknown): ToolResult =>
  (typeof result === 'object' && result !== null
    ? result
    : { isError: true, content: [{ type: 'text', text: String(result) }] }) as ToolResult;

/**
 * Loads an app into its frame, and sends it the arguments and the result of its call. Resolves when the app has started.
 *
 * @throws Error if the app does not start.
 */
export async function runApp(
  frame: HTMLIFrameElement,
  { address, input, result, handlers, signal }: AppCall,
): Promise<void> {
  const { contentWindow: view } = frame;
  if (view === null) return;
  const bridge = new AppBridge(
    null,
    { name: 'kelivo-responses-playground', version: '0.1.0' },
    { openLinks: {}, serverTools: {}, serverResources: {} },
    { hostContext: { theme: readColours(), displayMode: 'inline', availableDisplayModes: ['inline'] } },
  );
  Object.assign(bridge, handlers);
  const started = new Promise<void>((resolve, reject) => {
    bridge.oninitialized = () => resolve();
    const reason = new Error(`The app did not start within ${START_LIMIT / 1000} seconds.`);
    setTimeout(reject, START_LIMIT, reason);
  });
  signal.addEventListener('abort', () => void bridge.close());
  await bridge.connect(new PostMessageTransport(view, view));
  frame.src = address;
  await started;
  await bridge.sendToolInput({ arguments: { ...input } });
  await bridge.sendToolResult(toToolResult(result));
}

function readColours(): 'light' | 'dark' {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}
