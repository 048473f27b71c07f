import { useState } from 'react';
import { CopyButton } from './copy-button.js';
import { formatCount } from './format.js';
import { JsonTree } from './json-tree.js';
import { type OutputPart, toOutputParts } from './tool-output.js';

/** Characters that are drawn at once. Megabytes take seconds. */
const MAX_DRAWN = 100_000;

/** A tool output: text, images, audio, and JSON for other content. */
export function ToolOutput({ output, name }: { output: unknown; name: string }) {
  return (
    <div className="tool-output">
      {toOutputParts(output).map((part, index) => {
        switch (part.kind) {
          case 'text':
            return <OutputText key={index} text={part.text} name={name} />;
          case 'image':
          case 'audio':
            return <Media key={index} part={part} name={name} />;
          case 'json':
            return <JsonTree key={index} value={part.value} label={`Result of ${name}`} />;
        }
      })}
    </div>
  );
}

type MediaPart = Extract<OutputPart, { kind: 'image' | 'audio' }>;

/** The images and sounds of a tool output, which are the answer that one looks for. Nothing if it has none. */
export function ToolMedia({ output, name }: { output: unknown; name: string }) {
  const parts = toOutputParts(output).filter(
    (part): part is MediaPart => part.kind === 'image' || part.kind === 'audio',
  );
  if (parts.length === 0) return null;
  return (
    <div className="tool-output tool-media">
      {parts.map((part, index) => (
        <Media key={index} part={part} name={name} />
      ))}
    </div>
  );
}

function Media({ part: { kind, url }, name }: { part: MediaPart; name: string }) {
  const title = `Result of ${name}`;
  return kind === 'image' ? <img src={url} alt={title} /> : <audio src={url} controls aria-label={title} />;
}

function OutputText({ text, name }: { text: string; name: string }) {
  const [drawn, setDrawn] = useState(MAX_DRAWN);
  return (
    <div className="code-block">
      <CopyButton label={`Copy the result of ${name}`} text={() => text} />
      <pre tabIndex={0}>{text.slice(0, drawn)}</pre>
      {text.length > drawn && (
        <button type="button" className="button subtle" onClick={() => setDrawn(drawn + MAX_DRAWN)}>
          Show more of {formatCount(text.length - drawn)} characters
        </button>
      )}
    </div>
  );
}
