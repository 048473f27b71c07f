import { type ReactNode, useEffect, useState } from 'react';
import { describeFailure } from '../../shared/failure.js';

/** Characters of the longest diagram that is drawn. */
const MAX_SOURCE = 10_000;

type Drawing = { readonly svg: string } | { readonly failure: string };

/** A diagram as an image, whose SVG cannot run scripts or load anything. Its code stands below. */
export function DiagramView({ source, children: code }: { source: string; children: ReactNode }) {
  const drawing = useDrawing(source);
  if (drawing === undefined || 'failure' in drawing) {
    return (
      <div className="diagram">
        {code}
        <p className="hint" role="status">
          {drawing === undefined ? 'Drawing the diagram …' : drawing.failure}
        </p>
      </div>
    );
  }
  return (
    <figure className="diagram">
      <div className="diagram-frame" tabIndex={0} role="group" aria-label="Diagram">
        <img
          src={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawing.svg)}`}
          alt={`Diagram with the source: ${source.slice(0, 500)}`}
        />
      </div>
      <details>
        <summary>Source of the diagram</summary>
        {code}
      </details>
    </figure>
  );
}

function useDrawing(source: string): Drawing | undefined {
  const [result, setResult] = useState<{ source: string; drawing: Drawing }>();
  useEffect(() => {
    let isCurrent = true;
    void draw(source).then(drawing => {
      if (isCurrent) setResult({ source, drawing });
    });
    return () => {
      isCurrent = false;
    };
  }, [source]);
  return result?.source === source ? result.drawing : undefined;
}

async function draw(source: string): Promise<Drawing> {
  if (source.length > MAX_SOURCE) {
    return { failure: `The diagram is not drawn: its source has more than ${MAX_SOURCE} characters.` };
  }
  try {
    const { drawDiagram } = await import('./diagram-frame.js');
    return { svg: await drawDiagram(source) };
  } catch (error) {
    return { failure: `The diagram is not drawn: ${describeFailure(error)}` };
  }
}
