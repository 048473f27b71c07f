import { toOutputPieces } from '../lib/tool-output.js';
import { JsonView } from './json-view.js';

/** What a tool gave: text as text, images and sounds as such, all else as JSON. */
export function ToolOutput({ output, name }: { output: unknown; name: string }) {
  return (
    <div className="tool-output">
      {toOutputPieces(output).map((piece, index) => {
        switch (piece.kind) {
          case 'text':
            return (
              <pre key={index} tabIndex={0}>
                {piece.text}
              </pre>
            );
          case 'image':
            return <img key={index} src={piece.url} alt={`A result of ${name}`} />;
          case 'audio':
            return <audio key={index} src={piece.url} controls aria-label={`A result of ${name}`} />;
          case 'json':
            return <JsonView key={index} value={piece.value} label={`Result of ${name}`} />;
        }
      })}
    </div>
  );
}
