import { useContext, useEffect, useId, useRef, useState, useSyncExternalStore } from 'react';
import { describeFailure } from '../../shared/failure.js';
import type { OpenedApp } from '../../shared/mcp-inspection.js';
import { callApi } from '../page/api.js';
import { JsonTree } from '../ui/json-tree.js';
import { AppWriterContext } from './app-writer.js';
import { Problem } from '../ui/problem.js';

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
  /** The tool at its server. */
  readonly name: string;
  readonly input: object;
  /** The result of the call, or what stands for it in a conversation. */
  readonly output: unknown;
  readonly isError: boolean;
  /** Shows the app only when the user asks for it, as in a stored conversation. @default false */
  readonly isOnDemand?: boolean;
}

/** The app of a tool with the result of a call, if apps are on. */
export function ToolApp({ isOnDemand = false, ...call }: ToolAppProps) {
  const isOn = useSyncExternalStore(watchSwitch, () => localStorage.getItem(KEY) !== 'off');
  const [isWanted, setWanted] = useState(!isOnDemand);
  return (
    <section className="tool-app" aria-label={`App of ${call.name}`}>
      <label className="switch-row">
        <input
          type="checkbox"
          role="switch"
          checked={isOn}
          onChange={({ target: { checked } }) => {
            localStorage.setItem(KEY, checked ? 'on' : 'off');
            for (const notify of switchWatchers) notify();
          }}
        />
        <span>Show apps of tools</span>
      </label>
      {isOn && isWanted && <AppFrame {...call} />}
      {isOn && !isWanted && (
        <button type="button" className="button" onClick={() => setWanted(true)}>
          Show the app of {call.name}
        </button>
      )}
    </section>
  );
}

/** All apps of the page share the switch. */
const switchWatchers = new Set<() => void>();

function watchSwitch(notify: () => void): () => void {
  switchWatchers.add(notify);
  return () => switchWatchers.delete(notify);
}

/**
 * An app in a frame without an origin, which reads nothing of the page and contacts only what its server declares. The user
 * decides about each call of a tool and each page that it opens, and sends what it writes.
 */
function AppFrame({ server, name, input, output, isError }: Omit<ToolAppProps, 'isOnDemand'>) {
  const frame = useRef<HTMLIFrameElement>(null);
  const id = useId();
  const writer = useContext(AppWriterContext);
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
      const path = `/mcp/${encodeURIComponent(server)}`;
      const [{ runApp, toToolResult }, { createAppHandlers }, opened] = await Promise.all([
        import('./app-bridge.js'),
        import('./app-handlers.js'),
        callApi<OpenedApp>(`${path}/app`, { method: 'POST', body: { toolName: name }, signal }),
      ]);
      if (frame.current === null || signal.aborted) return;
      const { address, tools } = opened;
      setOrigins(opened.origins);
      await runApp(frame.current, {
        address,
        input,
        result: toToolResult(output, { isError }),
        signal,
        canWrite: writer !== null,
        handlers: createAppHandlers({
          app: { id, server, tool: name },
          path,
          tools,
          writer: () => writer?.current,
          signal,
          ask,
          onHeight: wanted => setHeight(Math.min(Math.max(wanted, HEIGHTS.least), HEIGHTS.most)),
        }),
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
      <Problem>{problem}</Problem>
      {requests.map(({ id, title, input: values, decide }) => (
        <div key={id} className="approval" role="alertdialog" aria-label={`Allow the app to ${title}?`}>
          <p>
            The app of <code>{name}</code> at “{server}” asks to <code>{title}</code>.
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
        title={`App of ${name}`}
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
