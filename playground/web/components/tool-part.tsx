import type { ToolUIPart } from 'ai';
import { useState } from 'react';
import type { TraceTool } from '../../shared/trace.js';
import { formatDuration } from '../lib/format.js';
import { Icon } from './icon.js';
import { CopyButton } from './copy-button.js';
import { JsonTree } from './json-tree.js';
import { toOutputParts } from '../lib/tool-output.js';

export interface ToolPartProps {
  readonly part: ToolUIPart;
  readonly name: string;
  readonly tool: TraceTool | undefined;
  /** True while the call waits for approval. */
  readonly isWaiting: boolean;
  readonly hasEnded: boolean;
}

const stateNames = {
  running: 'running',
  waiting: 'waiting for approval',
  done: 'done',
  failed: 'failed',
  stopped: 'stopped',
} as const;

/** A tool call: name, state and duration, with arguments and result in its details. */
export function ToolPart({ part, name, tool, isWaiting, hasEnded }: ToolPartProps) {
  const state = toState({ part, tool, isWaiting, hasEnded });
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className="tool-part"
      data-state={state}
      id={`tool-${part.toolCallId}`}
      onToggle={event => setOpen(event.currentTarget.open)}
    >
      <summary>
        <Icon name="tool" />
        <code>{name}</code>
        <span className="tool-state">{stateNames[state]}</span>
        {tool?.progress?.share !== undefined && state === 'running' && (
          <progress value={tool.progress.share} aria-label={`Progress of ${name}`} />
        )}
        {tool?.endAt !== undefined && (
          <span className="tool-time">{formatDuration(tool.endAt - tool.startAt)}</span>
        )}
        <Icon name="chevron" />
      </summary>
      {isOpen && <ToolDetails part={part} name={name} />}
    </details>
  );
}

function ToolDetails({ part, name }: Pick<ToolPartProps, 'part' | 'name'>) {
  return (
    <>
      <h3>Arguments</h3>
      <JsonTree value={part.input ?? {}} label={`Arguments of ${name}`} />
      {part.state === 'output-available' && (
        <>
          <h3>Result</h3>
          <ToolOutput output={part.output} name={name} />
        </>
      )}
      {part.state === 'output-error' && (
        <>
          <h3>Error</h3>
          <p className="note problem">{part.errorText}</p>
        </>
      )}
    </>
  );
}

function toState({ part, tool, isWaiting, hasEnded }: Omit<ToolPartProps, 'name'>): keyof typeof stateNames {
  if (part.state === 'output-error') return 'failed';
  if (part.state === 'output-available') return tool?.state === 'failed' ? 'failed' : 'done';
  if (hasEnded) return 'stopped';
  return isWaiting ? 'waiting' : 'running';
}

/** A tool output: text, images, audio, and JSON for other content. */
export function ToolOutput({ output, name }: { output: unknown; name: string }) {
  return (
    <div className="tool-output">
      {toOutputParts(output).map((part, index) => {
        switch (part.kind) {
          case 'text':
            return (
              <div key={index} className="code-block">
                <CopyButton label={`Copy the result of ${name}`} text={() => part.text} />
                <pre tabIndex={0}>{part.text}</pre>
              </div>
            );
          case 'image':
            return <img key={index} src={part.url} alt={`Result of ${name}`} />;
          case 'audio':
            return <audio key={index} src={part.url} controls aria-label={`Result of ${name}`} />;
          case 'json':
            return <JsonTree key={index} value={part.value} label={`Result of ${name}`} />;
        }
      })}
    </div>
  );
}
