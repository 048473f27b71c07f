import type { Trace } from '../../shared/trace.js';
import { JsonTree } from '../ui/json-tree.js';

/** A response with a JSON schema: its text while it grows, then a tree and the result of the comparison. */
export function StructuredOutput({ text, trace: { checked, end } }: { text: string; trace: Trace }) {
  const value = end === undefined ? undefined : parse(text);
  return (
    <>
      {value === undefined ? (
        <pre className="body-text" tabIndex={0}>
          {text}
        </pre>
      ) : (
        <JsonTree value={value.json} label="Structured output" />
      )}
      {checked !== undefined && (
        <p className={checked.problem === undefined ? 'hint' : 'note problem'} role="status">
          {checked.problem === undefined
            ? 'The response matches the schema.'
            : `The response does not match the schema: ${checked.problem}`}
        </p>
      )}
    </>
  );
}

function parse(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
