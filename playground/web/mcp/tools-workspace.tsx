import { type KeyboardEvent, useState } from 'react';
import type { InspectedTool, ServerInspection } from '../../shared/mcp-inspection.js';
import { isToolOff, type Settings, type ToolSwitch } from '../../shared/playground-state.js';
import { Missing } from '../page/missing.js';
import { paths, toLink } from '../page/routes.js';
import type { PageHook } from '../page/use-page.js';
import { formatCount, formatNumberOf } from '../ui/format.js';
import { Empty, Loading } from '../ui/list-state.js';
import { Badges } from './badges.js';
import { ToolPanel } from './tool-panel.js';

export interface ToolsWorkspaceProps {
  readonly server: string;
  readonly path: string;
  readonly inspection: ServerInspection | undefined;
  /** The tool of the address. */
  readonly toolName: string | undefined;
  readonly page: Pick<PageHook, 'state' | 'change'>;
}

/** The tools of a server with a search and a switch for each, and the tool of the address. */
export function ToolsWorkspace({ server, path, inspection, toolName, page }: ToolsWorkspaceProps) {
  const [query, setQuery] = useState('');
  if (inspection === undefined) return <Loading what="tools" />;
  const { tools } = inspection;
  if (tools.length === 0) {
    return (
      <Empty action={<a {...toLink(paths.server(server, 'connection'))}>Show the connection</a>}>
        The server has no tools, or is not connected.
      </Empty>
    );
  }
  const found = tools.filter(tool => matches(tool, query.trim().toLowerCase()));
  const shown = tools.find(({ name }) => name === (toolName ?? tools[0]?.name));
  const off = page.state?.settings.disabledTools ?? [];
  const isServerOff = isToolOff(off, { server });
  const isOffered = ({ name }: InspectedTool): boolean =>
    !isServerOff && !isToolOff(off, { server, tool: name });
  const turn = (changed: ToolSwitch, isOn: boolean): void => void page.change(toSwitched(off, changed, isOn));
  return (
    <div className="tools-workspace" data-page={toolName === undefined ? 'list' : 'detail'}>
      <div className="tool-list" onKeyDown={moveFocus}>
        <input
          className="input"
          type="search"
          aria-label="Search tools"
          placeholder="Search names and descriptions"
          value={query}
          onChange={event => setQuery(event.target.value)}
        />
        <label className="switch-row">
          <input
            type="checkbox"
            role="switch"
            checked={!isServerOff}
            onChange={event => turn({ server }, event.target.checked)}
          />
          <span>Offer the tools of {server} to the model</span>
        </label>
        <p className="hint" role="status">
          {query.trim() !== '' && `${found.length} of `}
          {formatNumberOf(tools.length, 'tool')}. Offered: {describeSize(tools.filter(isOffered))}
        </p>
        <ul aria-label={`Tools of ${server}`}>
          {found.map(tool => (
            <li key={tool.name} data-current={tool === shown}>
              <a
                {...toLink(paths.server(server, 'tools', tool.name))}
                aria-current={tool === shown ? 'page' : undefined}
              >
                {tool.title !== undefined && <span>{tool.title}</span>}
                <code>{tool.name}</code>
              </a>
              <div className="tool-badges">
                <Badges tool={tool} />
              </div>
              <input
                type="checkbox"
                role="switch"
                aria-label={`Offer ${tool.name} to the model`}
                title="Offer this tool to the model"
                disabled={isServerOff}
                checked={isOffered(tool)}
                onChange={event => turn({ server, tool: tool.name }, event.target.checked)}
              />
            </li>
          ))}
        </ul>
        {found.length === 0 && <p className="quiet">No tool contains “{query.trim()}”.</p>}
      </div>
      {shown !== undefined ? (
        <ToolPanel key={shown.name} path={path} server={server} tool={shown} inspection={inspection} />
      ) : (
        <Missing title="There is no such tool" path={paths.server(server)} link={`All tools of ${server}`}>
          The server “{server}” has no tool with the name “{toolName}”.
        </Missing>
      )}
    </div>
  );
}

/** Moves from the search to the tools, and between them. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('[type="search"], ul a')];
  const current = stops.findIndex(stop => stop === event.target);
  const next = step === undefined || current < 0 ? undefined : stops[current + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

const matches = ({ name, title = '', description = '' }: InspectedTool, query: string): boolean =>
  [name, title, description].some(text => text.toLowerCase().includes(query));

function toSwitched(off: Settings['disabledTools'], changed: ToolSwitch, isOn: boolean): Partial<Settings> {
  const others = off.filter(({ server, tool }) => server !== changed.server || tool !== changed.tool);
  return { disabledTools: isOn ? others : [...others, changed] };
}

/** A token is about four characters of JSON. */
const describeSize = (tools: readonly InspectedTool[]): string =>
  `${tools.length}, about ${formatCount(
    Math.ceil(
      tools.reduce(
        (sum, { name, description, inputSchema }) =>
          sum + JSON.stringify({ name, description, inputSchema }).length,
        0,
      ) / 4,
    ),
  )} tokens in each request.`;
