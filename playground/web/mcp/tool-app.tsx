import { useEffect, useRef, useState } from 'react';
import { describeFailure } from '../../shared/failure.js';
import type { InspectedTool, OpenedApp, ToolCallResult } from '../../shared/mcp-inspection.js';
import { callApi } from '../page/api.js';
import { JsonTree } from '../ui/json-tree.js';

const KEY = 'apps';

/** Limits for the height of an app in pixels. */
const HEIGHTS = { least: 64, most: 800 };

/** Maximum number of pending requests. A hostile app could fill the page with them. */
const MAX_PENDING = 5;

/** A request of an app that waits for the user's decision. */
interface AppRequest {
  readonly id: number;
  readonly title: string;
  /** The arguments of a call. @default none */
  readonly input?: object;
  decide(isAllowed: boolean): void;
}

export interface ToolAppProps {
  readonly server: string;
  /** The path of the server's routes. */
  readonly path: string;
  readonly tool: InspectedTool;
  readonly tools: readonly InspectedTool[];
  readonly input: object;
  readonly result: unknown;
}

/** The app of a tool with the result of a call, if apps are on. */
export function ToolApp(props: ToolAppProps) {
  const [isOn, setOn] = useState(() => localStorage.getItem(KEY) !== 'off');
  const { app, name } = props.tool;
  if (app?.resourceUri === undefined) return null;
  return (
    <section className="tool-app" aria-label={`App of ${name}`}>
      <label className="switch-row">
        <input
          type="checkbox"
          role="switch"
          checked={isOn}
          onChange={({ target: { checked } }) => {
            localStorage.setItem(KEY, checked ? 'on' : 'off');
            setOn(checked);
          }}
        />
        <span>Show apps of tools</span>
      </label>
      {isOn && <AppFrame {...props} uri={app.resourceUri} />}
    </section>
  );
}

/**
 * An app in a frame without an origin, which reads nothing of the page and contacts only what its server declares. The user
 * decides about each call of a tool and each page that it opens.
 */
function AppFrame({ server, path, tool, tools, input, result, uri }: ToolAppProps & { uri: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [requests, setRequests] = useState<readonly AppRequest[]>([]);
  const [origins, setOrigins] = useState<OpenedApp['origins']>();
  const [problem, setProblem] = useState<string>();
  const [height, setHeight] = useState(HEIGHTS.least * 3);

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let count = 0;
    const waiting = new Set<number>();
    const ask = async (request: Pick<AppRequest, 'title' | 'input'>): Promise<void> => {
      if (waiting.size >= MAX_PENDING) throw new Error('Too many requests wait for the user.');
      const id = ++count;
      waiting.add(id);
      const isAllowed = await new Promise<boolean>(decide =>
        setRequests(known => [...known, { ...request, id, decide }]),
      );
      waiting.delete(id);
      setRequests(known => known.filter(one => one.id !== id));
      if (!isAllowed || signal.aborted) throw new Error('The user rejected this.');
    };

    async function open(): Promise<void> {
      const [{ runApp, toToolResult }, opened] = await Promise.all([
        import('./app-bridge.js'),
        callApi<OpenedApp>(`${path}/app`, { method: 'POST', body: { uri }, signal }),
      ]);
      if (frame.current === null || signal.aborted) return;
      setOrigins(opened.origins);
      await runApp(frame.current, {
        address: opened.address,
        input,
        result,
        signal,
        handlers: {
          async oncalltool({ name, arguments: values = {} }) {
            const called = tools.find(one => one.name === name);
            if (called === undefined || called.app?.visibility?.includes('app') === false)
              throw new Error(`The server offers no tool ${JSON.stringify(name)} to its apps.`);
            await ask({ title: `call ${name}`, input: values });
            const body = { toolName: name, input: values };
            const ended = await callApi<ToolCallResult>(`${path}/call`, { method: 'POST', body, signal });
            return toToolResult(ended.result);
          },
          async onopenlink({ url }) {
            if (!/^https?:/.test(url)) throw new Error('Only web pages can be opened.');
            await ask({ title: `open ${url}` });
            window.open(url, '_blank', 'noopener,noreferrer');
            return {};
          },
          onreadresource: ({ uri: wanted }) =>
            callApi<object[]>(`${path}/read`, { method: 'POST', body: { uri: wanted }, signal }).then(
              contents => ({ contents }) as never,
            ),
          onsizechange: ({ height: wanted = 0 }) =>
            setHeight(Math.min(Math.max(wanted, HEIGHTS.least), HEIGHTS.most)),
        },
      });
    }
    open().catch((error: unknown) => {
      if (!signal.aborted) setProblem(describeFailure(error));
    });
    return () => controller.abort();
    // A new call has a new frame.
  }, []);

  return (
    <>
      {problem !== undefined && (
        <p className="note problem" role="alert">
          {problem}
        </p>
      )}
      {requests.map(({ id, title, input: values, decide }) => (
        <div key={id} className="approval" role="alertdialog" aria-label={`Allow the app to ${title}?`}>
          <p>
            The app of <code>{tool.name}</code> at “{server}” asks to <code>{title}</code>.
          </p>
          {values !== undefined && <JsonTree value={values} label="Arguments of the app" />}
          <div className="button-row">
            <button type="button" className="button primary" onClick={() => decide(true)}>
              Allow
            </button>
            <button type="button" className="button" onClick={() => decide(false)}>
              Reject
            </button>
          </div>
        </div>
      ))}
      <iframe
        ref={frame}
        title={`App of ${tool.name}`}
        sandbox="allow-scripts allow-forms"
        referrerPolicy="no-referrer"
        style={{ height }}
      />
      {origins !== undefined && (
        <p className="hint">
          {origins.length === 0
            ? 'The app cannot contact anything.'
            : `The app may contact ${origins.join(', ')}, as its server declares.`}
        </p>
      )}
    </>
  );
}
