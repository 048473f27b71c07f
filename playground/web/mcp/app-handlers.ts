import type { ToolCallResult } from '../../shared/mcp-inspection.js';
import { callApi } from '../page/api.js';
import { type AppHandlers, toToolResult } from './app-bridge.js';
import { type AppWriter, toAppText, type WritingApp } from './app-writer.js';

export interface AppRights {
  /** The tool with the app. */
  readonly app: WritingApp;
  /** The path of the server's routes. */
  readonly path: string;
  /** The tools that the app may ask to call. */
  readonly tools: readonly string[];
  /** Returns the writer of the conversation, if the app is shown in one. */
  readonly writer: () => AppWriter | null | undefined;
  /** Aborts when the app is removed. */
  readonly signal: AbortSignal;
  /** Resolves when the user has allowed a request. Rejects otherwise. */
  ask(request: { title: string; input?: object }): Promise<void>;
  onHeight(height: number): void;
}

/** Answers the requests of an app. Each call of a tool and each page is a question to the user. */
export function createAppHandlers({
  app,
  path,
  tools,
  writer,
  signal,
  ask,
  onHeight,
}: AppRights): AppHandlers {
  const findWriter = (): AppWriter => {
    const found = writer();
    if (found) return found;
    throw new Error(
      'There is no conversation here. Apps can write to the one in which their tool was called.',
    );
  };
  return {
    async oncalltool({ name: toolName, arguments: input = {} }) {
      if (!tools.includes(toolName))
        throw new Error(`The server offers no tool ${JSON.stringify(toolName.slice(0, 100))} to its apps.`);
      await ask({ title: `call ${toolName}`, input });
      const body = { toolName, input };
      const called = await callApi<ToolCallResult>(`${path}/app/call`, { method: 'POST', body, signal });
      return toToolResult(called.result, called);
    },
    async onopenlink({ url }) {
      if (!/^https?:/.test(url)) throw new Error('Only web pages can be opened.');
      await ask({ title: `open ${url}` });
      window.open(url, '_blank', 'noopener,noreferrer');
      return {};
    },
    onreadresource: ({ uri }) =>
      callApi<object[]>(`${path}/read`, { method: 'POST', body: { uri }, signal }).then(
        contents => ({ contents }) as never,
      ),
    async onmessage({ content }) {
      findWriter().draft(app, toAppText(content));
      return {};
    },
    async onupdatemodelcontext({ content = [], structuredContent }) {
      findWriter().add(app, toAppText(content, structuredContent));
      return {};
    },
    onsizechange: ({ height }) => {
      if (height !== undefined) onHeight(height);
    },
  };
}
