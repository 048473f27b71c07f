import { useEffect, useId, useState } from 'react';
import { callApi } from '../lib/api.js';
import { Field } from './field.js';
import { JsonTree } from './json-tree.js';

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

function useAnswer<Result>(path: string): Answer<Result> {
  const [answer, setAnswer] = useState<Answer<Result>>({});
  useEffect(() => void ask<Result>(path).then(setAnswer), [path]);
  return answer;
}

interface Resources {
  readonly resources: readonly { readonly uri: string; readonly name: string }[];
  readonly templates: readonly { readonly uriTemplate: string; readonly name: string }[];
}

/** Resources and templates of a server, and the contents of one. */
export function McpResources({ path }: { path: string }) {
  const { result, problem } = useAnswer<Resources>(`${path}/resources`);
  const [contents, setContents] = useState<Answer<unknown>>({});
  const [template, setTemplate] = useState<string>();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  if (result === undefined) return <Status problem={problem} />;
  const read = (uri: string): void => void ask(`${path}/read`, { uri }).then(setContents);
  const chosen = template ?? result.templates[0]?.uriTemplate ?? '';
  const names = [...chosen.matchAll(/\{[+#./;?&]?([^}*:]+)/g)].map(([, name = '']) => name);
  return (
    <div className="mcp-part">
      {result.resources.length === 0 && <p className="quiet">The server lists no resources.</p>}
      <ul className="mcp-list">
        {result.resources.map(({ uri, name }) => (
          <li key={uri}>
            <button type="button" className="button subtle" onClick={() => read(uri)}>
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
            read(chosen.replace(/\{[+#./;?&]?([^}*:]+)[^}]*\}/g, (_all, name: string) => values[name] ?? ''));
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
          {names.map(name => (
            <CompletedField
              key={name}
              path={path}
              reference={{ type: 'ref/resource', uri: chosen }}
              name={name}
              value={values[name] ?? ''}
              onChange={value => setValues({ ...values, [name]: value })}
            />
          ))}
          <button type="submit" className="button">
            Read
          </button>
        </form>
      )}
      <Shown answer={contents} label="Contents of the resource" />
    </div>
  );
}

interface Prompt {
  readonly name: string;
  readonly description?: string;
  readonly arguments?: readonly { readonly name: string; readonly required?: boolean }[];
}

/** Prompts of a server, with suggestions for their arguments. */
export function McpPrompts({ path }: { path: string }) {
  const { result, problem } = useAnswer<readonly Prompt[]>(`${path}/prompts`);
  const [name, setName] = useState<string>();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [filled, setFilled] = useState<Answer<unknown>>({});
  if (result === undefined) return <Status problem={problem} />;
  const prompt = result.find(one => one.name === name) ?? result[0];
  if (prompt === undefined) return <p className="quiet">The server has no prompts.</p>;
  return (
    <form
      className="mcp-part schema-form"
      onSubmit={event => {
        event.preventDefault();
        void ask(`${path}/prompt`, { name: prompt.name, arguments: values }).then(setFilled);
      }}
    >
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
          value={values[argument.name] ?? ''}
          onChange={value => setValues({ ...values, [argument.name]: value })}
        />
      ))}
      <button type="submit" className="button">
        Fill in
      </button>
      <Shown answer={filled} label="Messages of the prompt" />
    </form>
  );
}

interface CompletedFieldProps {
  readonly path: string;
  readonly reference: unknown;
  readonly name: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A text field with the suggestions of the server. */
function CompletedField({ path, reference, name, value, onChange }: CompletedFieldProps) {
  const listId = useId();
  const [suggestions, setSuggestions] = useState<readonly string[]>([]);
  const complete = (text: string): void => {
    const body = { ref: reference, argument: { name, value: text } };
    void ask<{ values: readonly string[] }>(`${path}/complete`, body).then(({ result }) =>
      setSuggestions(result?.values ?? []),
    );
  };
  return (
    <Field label={name}>
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
  return result === undefined ? null : <JsonTree value={result} label={label} />;
}

const Status = ({ problem }: { problem: string | undefined }) => (
  <p className={problem === undefined ? 'quiet' : 'note problem'} role="status">
    {problem ?? 'Loading …'}
  </p>
);
