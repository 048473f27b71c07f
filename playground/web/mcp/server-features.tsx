import { useEffect, useId, useState } from 'react';
import { callApi } from '../page/api.js';
import { navigate, paths } from '../page/routes.js';
import { Field } from '../ui/field.js';
import { expandTemplate, readVariables } from './uri-template.js';
import { Icon } from '../ui/icon.js';
import { JsonTree } from '../ui/json-tree.js';
import { Loading } from '../ui/list-state.js';
import { ToolOutput } from '../ui/tool-output-view.js';

/** The result of a request, or the reason why it failed. */
interface Answer<Result> {
  readonly result?: Result;
  readonly problem?: string;
}

async function ask<Result>(path: string, body?: unknown): Promise<Answer<Result>> {
  try {
    const options = body === undefined ? {} : { method: 'POST', body };
    return { result: await callApi<Result>(path, options) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
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
function useList<Result>(
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

interface McpListProps {
  readonly path: string;
  /** Changes when the server announces a changed list. */
  readonly revision: number;
}

interface Resources {
  readonly resources: readonly { readonly uri: string; readonly name: string }[];
  readonly templates: readonly { readonly uriTemplate: string; readonly name: string }[];
}

export interface McpResourcesProps extends McpListProps {
  readonly server: string;
  /** The resource of the address. */
  readonly uri: string | undefined;
}

/** Resources and templates of a server, and the contents of the resource in the address. */
export function McpResources({ server, path, revision, uri }: McpResourcesProps) {
  const { result, problem, refresh } = useList<Resources>(`${path}/resources`, revision);
  const contents = useContents(path, uri);
  const [template, setTemplate] = useState<string>();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  if (result === undefined) return <Status problem={problem}>{refresh}</Status>;
  const read = (chosenUri: string): void => navigate(paths.server(server, 'resources', chosenUri));
  const chosen = template ?? result.templates[0]?.uriTemplate ?? '';
  return (
    <div className="mcp-part">
      <div className="button-row">{refresh}</div>
      {result.resources.length === 0 && <p className="quiet">The server lists no resources.</p>}
      <ul className="mcp-list">
        {result.resources.map(({ uri, name }) => (
          <li key={uri}>
            <button type="button" className="button" onClick={() => read(uri)}>
              {name} <code>{uri}</code>
            </button>
          </li>
        ))}
      </ul>
      {chosen !== '' && (
        <form
          className="schema-form"
          onSubmit={event => {
            event.preventDefault();
            read(expandTemplate(chosen, values));
          }}
        >
          <Field label="Template">
            {props => (
              <select
                {...props}
                className="input"
                value={chosen}
                onChange={event => setTemplate(event.target.value)}
              >
                {result.templates.map(({ uriTemplate, name }) => (
                  <option key={uriTemplate} value={uriTemplate}>
                    {name}: {uriTemplate}
                  </option>
                ))}
              </select>
            )}
          </Field>
          {readVariables(chosen).map(name => (
            <CompletedField
              key={name}
              path={path}
              reference={{ type: 'ref/resource', uri: chosen }}
              name={name}
              value={values[name] ?? ''}
              onChange={value => setValues({ ...values, [name]: value })}
            />
          ))}
          <div className="button-row">
            <button type="submit" className="button">
              Read
            </button>
          </div>
        </form>
      )}
      <Shown answer={contents} label="Contents of the resource" />
    </div>
  );
}

/** Reads a resource. */
function useContents(path: string, uri: string | undefined): Answer<unknown> {
  const [contents, setContents] = useState<Answer<unknown>>({});
  useEffect(() => {
    if (uri === undefined) return setContents({});
    let isCurrent = true;
    void ask(`${path}/read`, { uri }).then(next => {
      if (isCurrent) setContents(next);
    });
    return () => {
      isCurrent = false;
    };
  }, [path, uri]);
  return contents;
}

interface Prompt {
  readonly name: string;
  readonly description?: string;
  readonly arguments?: readonly {
    readonly name: string;
    readonly description?: string;
    readonly required?: boolean;
  }[];
}

/** Prompts of a server, with suggestions for their arguments. */
export function McpPrompts({ path, revision }: McpListProps) {
  const { result, problem, refresh } = useList<readonly Prompt[]>(`${path}/prompts`, revision);
  const [name, setName] = useState<string>();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [filled, setFilled] = useState<Answer<unknown>>({});
  if (result === undefined) return <Status problem={problem}>{refresh}</Status>;
  const prompt = result.find(one => one.name === name) ?? result[0];
  if (prompt === undefined)
    return (
      <div className="mcp-part">
        <div className="button-row">{refresh}</div>
        <p className="quiet">The server has no prompts.</p>
      </div>
    );
  return (
    <form
      className="mcp-part schema-form"
      onSubmit={event => {
        event.preventDefault();
        void ask(`${path}/prompt`, { name: prompt.name, arguments: values }).then(setFilled);
      }}
    >
      <div className="button-row">{refresh}</div>
      <Field label="Prompt">
        {props => (
          <select
            {...props}
            className="input"
            value={prompt.name}
            onChange={event => {
              setName(event.target.value);
              setValues({});
            }}
          >
            {result.map(one => (
              <option key={one.name}>{one.name}</option>
            ))}
          </select>
        )}
      </Field>
      {prompt.description !== undefined && <p className="quiet">{prompt.description}</p>}
      {(prompt.arguments ?? []).map(argument => (
        <CompletedField
          key={`${prompt.name} ${argument.name}`}
          path={path}
          reference={{ type: 'ref/prompt', name: prompt.name }}
          name={argument.name}
          label={argument.required ? `${argument.name} (required)` : argument.name}
          hint={argument.description}
          value={values[argument.name] ?? ''}
          onChange={value => setValues({ ...values, [argument.name]: value })}
        />
      ))}
      <div className="button-row">
        <button type="submit" className="button">
          Fill in
        </button>
      </div>
      <Shown answer={filled} label="Messages of the prompt" />
    </form>
  );
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
function CompletedField({ path, reference, name, label = name, hint, value, onChange }: CompletedFieldProps) {
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

function Shown({ answer: { result, problem }, label }: { answer: Answer<unknown>; label: string }) {
  if (problem !== undefined) return <Status problem={problem} />;
  if (result === undefined) return null;
  return (
    <>
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

interface Media {
  readonly data?: string;
  readonly blob?: string;
  readonly mediaType?: string;
  readonly mimeType?: string;
}

function Status({ problem, children }: { problem: string | undefined; children?: React.ReactNode }) {
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
