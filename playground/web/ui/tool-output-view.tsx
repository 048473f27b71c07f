import { useState } from 'react';
import { CopyButton } from './copy-button.js';
import { formatCount } from './format.js';
import { JsonTree } from './json-tree.js';
import { toOutputParts } from './tool-output.js';

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
