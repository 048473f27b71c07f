import { useState } from 'react';
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
          <Select
            {...props}
            value={prompt.name}
            choices={result.map(one => ({ value: one.name, title: one.name }))}
            onChange={next => {
              setName(next);
              setValues({});
            }}
          />
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
