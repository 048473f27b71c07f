import { useEffect, useRef, useState } from 'react';
import { describeFailure } from '../../shared/failure.js';
import { followApi } from '../page/api.js';
import { navigate, paths } from '../page/routes.js';
import { Field } from '../ui/field.js';
import { Select } from '../ui/select.js';
import {
  type Answer,
  ask,
  CompletedField,
  type McpListProps,
  Shown,
  Status,
  useList,
} from './feature-parts.js';
import { expandTemplate, readVariables } from './uri-template.js';
import { Problem } from '../ui/problem.js';

interface Resources {
  readonly resources: readonly { readonly uri: string; readonly name: string }[];
  readonly templates: readonly { readonly uriTemplate: string; readonly name: string }[];
}

export interface McpResourcesProps extends McpListProps {
  readonly server: string;
  /** The resource of the address. */
  readonly uri: string | undefined;
  /** Changes when the server announces a change of the resource. */
  readonly updateNumber: number;
  /** True if the server offers subscriptions. */
  readonly isSubscribable: boolean;
}

/** Resources and templates of a server, and the contents of the resource in the address. */
export function McpResources({
  server,
  path,
  revision,
  uri,
  updateNumber,
  isSubscribable,
}: McpResourcesProps) {
  const { result, problem, refresh } = useList<Resources>(`${path}/resources`, revision);
  /** Counts the subscriptions that have begun: changes before them were not announced. */
  const [begun, setBegun] = useState(0);
  const contents = useContents(path, uri, `${updateNumber} ${begun}`);
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
              <Select
                {...props}
                value={chosen}
                choices={result.templates.map(({ uriTemplate, name }) => ({
                  value: uriTemplate,
                  title: `${name}: ${uriTemplate}`,
                }))}
                onChange={setTemplate}
              />
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
      {uri !== undefined && isSubscribable && (
        <Subscription key={uri} path={path} uri={uri} onBegin={() => setBegun(count => count + 1)} />
      )}
      <Shown answer={contents} label="Contents of the resource" />
    </div>
  );
}

/** A switch for announcements of changes. It ends with the page, or when another resource is opened. */
function Subscription({ path, uri, onBegin }: { path: string; uri: string; onBegin: () => void }) {
  const begin = useRef(onBegin);
  begin.current = onBegin;
  const [isWanted, setWanted] = useState(false);
  const [state, setState] = useState<{ isOpen?: boolean; problem?: string }>({});
  useEffect(() => {
    if (!isWanted) return;
    const controller = new AbortController();
    const { signal } = controller;
    const options = { method: 'POST', body: { uri }, signal };
    const onText = (): void => {
      setState({ isOpen: true });
      begin.current();
    };
    void followApi(`${path}/subscribe`, options, onText)
      .then(() => 'The subscription has ended.', describeFailure)
      .then(problem => {
        if (signal.aborted) return;
        setWanted(false);
        setState({ problem });
      });
    return () => controller.abort();
  }, [path, uri, isWanted]);
  return (
    <>
      <div className="button-row">
        <button
          type="button"
          className="button"
          onClick={() => {
            setState({});
            setWanted(!isWanted);
          }}
        >
          {isWanted ? 'Unsubscribe' : 'Subscribe'}
        </button>
        {state.isOpen && (
          <span role="status">The contents follow the changes that the server announces.</span>
        )}
      </div>
      <Problem>{state.problem}</Problem>
    </>
  );
}

/** Reads a resource, again when the revision changes. */
function useContents(path: string, uri: string | undefined, revision: string): Answer<unknown> {
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
  }, [path, uri, revision]);
  return contents;
}
