import { CopyButton } from './copy-button.js';
import { JsonTree } from './json-tree.js';
import { toOutputParts } from './tool-output.js';

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
