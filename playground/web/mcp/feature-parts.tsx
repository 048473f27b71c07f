import { useEffect, useId, useState } from 'react';
import { callApi } from '../page/api.js';
import { Field } from '../ui/field.js';
import { Icon } from '../ui/icon.js';
import { JsonTree } from '../ui/json-tree.js';
import { Markdown } from '../ui/markdown.js';
import { Loading } from '../ui/list-state.js';
import { ToolOutput } from '../ui/tool-output-view.js';
import { describeFailure } from '../../shared/failure.js';

/** The result of a request, or the reason why it failed. */
export interface Answer<Result> {
  readonly result?: Result;
  readonly problem?: string;
}

export async function ask<Result>(path: string, body?: unknown): Promise<Answer<Result>> {
  try {
    const options = body === undefined ? {} : { method: 'POST', body };
    return { result: await callApi<Result>(path, options) };
  } catch (error) {
    return { problem: describeFailure(error) };
  }
}

/** Asks again when the revision changes. */
function useAnswer<Result>(path: string, revision: unknown): Answer<Result> {
  const [answer, setAnswer] = useState<Answer<Result>>({});
  useEffect(() => {
    let isCurrent = true;
    void ask<Result>(path).then(next => {
      if (isCurrent) setAnswer(next);
    });
    return () => {
      isCurrent = false;
    };
  }, [path, revision]);
  return answer;
}

/** Reads a list when its tab opens, after each announced change, and on request. */
export function useList<Result>(
  path: string,
  revision: number,
): Answer<Result> & { readonly refresh: React.ReactNode } {
  const [count, setCount] = useState(0);
  const answer = useAnswer<Result>(path, `${revision} ${count}`);
  const refresh = (
    <button type="button" className="button" onClick={() => setCount(count + 1)}>
      <Icon name="again" /> Refresh
    </button>
  );
  return { ...answer, refresh };
}

export interface McpListProps {
  readonly path: string;
  /** Changes when the server announces a changed list. */
  readonly revision: number;
}

interface CompletedFieldProps {
  readonly path: string;
  readonly reference: unknown;
  readonly name: string;
  /** @default the name */
  readonly label?: string;
  readonly hint?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A text field with the suggestions of the server. */
export function CompletedField({
  path,
  reference,
  name,
  label = name,
  hint,
  value,
  onChange,
}: CompletedFieldProps) {
  const listId = useId();
  const [suggestions, setSuggestions] = useState<readonly string[]>([]);
  const complete = (text: string): void => {
    const body = { ref: reference, argument: { name, value: text } };
    void ask<{ values: readonly string[] }>(`${path}/complete`, body).then(({ result }) =>
      setSuggestions(result?.values ?? []),
    );
  };
  return (
    <Field label={label} hint={hint}>
      {props => (
        <>
          <input
            {...props}
            className="input"
            list={listId}
            value={value}
            autoComplete="off"
            onFocus={() => complete(value)}
            onChange={event => {
              onChange(event.target.value);
              complete(event.target.value);
            }}
          />
          <datalist id={listId}>
            {suggestions.map(suggestion => (
              <option key={suggestion} value={suggestion} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

export function Shown({ answer: { result, problem }, label }: { answer: Answer<unknown>; label: string }) {
  if (problem !== undefined) return <Status problem={problem} />;
  if (result === undefined) return null;
  return (
    <>
      {Array.isArray(result) && result.map((one: Media, index) => <Preview key={index} {...one} />)}
      <ToolOutput output={{ content: toMedia(result) }} name={label} />
      <JsonTree value={result} label={label} />
    </>
  );
}

/** Images and audio in the contents of a resource or in the messages of a prompt, as blocks of a tool's result. */
function toMedia(result: unknown): unknown[] {
  const { messages = [] } = result as { messages?: readonly { content: readonly Media[] }[] };
  const contents = Array.isArray(result) ? (result as readonly Media[]) : [];
  return [...messages.flatMap(({ content }) => content), ...contents]
    .map(({ data, blob, mediaType, mimeType }) => ({
      type: 'media',
      data: data ?? blob,
      mimeType: mediaType ?? mimeType,
    }))
    .filter(({ data, mimeType }) => data !== undefined && /^(?:image|audio)\//.test(mimeType ?? ''));
}

/** A text as its readers see it. A page is in a frame that runs and loads nothing. */
function Preview({ uri = '', text, mimeType = 'text/plain' }: Media) {
  if (text === undefined) return null;
  if (/^text\/(?:x-)?markdown/.test(mimeType)) return <Markdown text={text} />;
  if (mimeType.startsWith('text/html'))
    return <iframe sandbox="" srcDoc={text} title={`Preview of ${uri}`} width="100%" height="320" />;
  return <ToolOutput output={text} name={uri} />;
}

interface Media {
  readonly uri?: string;
  readonly text?: string;
  readonly data?: string;
  readonly blob?: string;
  readonly mediaType?: string;
  readonly mimeType?: string;
}

export function Status({ problem, children }: { problem: string | undefined; children?: React.ReactNode }) {
  return (
    <div className="mcp-part">
      {problem !== undefined && <div className="button-row">{children}</div>}
      {problem === undefined ? (
        <Loading what="the list" />
      ) : (
        <p className="note problem" role="status">
          {problem}
        </p>
      )}
    </div>
  );
}
