import { useId, useMemo, useState } from 'react';
import type { SchemaProblem } from '../../shared/mcp-inspection.js';
import { Field } from '../ui/field.js';
import { Icon } from '../ui/icon.js';
import { Select } from '../ui/select.js';
import { findVariant, type FormNode, toInitial, toNode } from './form-schema.js';
import {
  BOOLEANS,
  ChoiceControl,
  Group,
  JsonControl,
  NumberControl,
  toPlacedSentence,
} from './schema-controls.js';

interface PartProps {
  readonly root: unknown;
  readonly value: unknown;
  /** Undefined removes the value. */
  readonly onChange: (value: unknown) => void;
  /** Problems of this value and its parts. */
  readonly problems: readonly SchemaProblem[];
  readonly depth: number;
}

/** The fields of an object without a frame, or the control of another value. */
export function NodeFields({ node, ...props }: PartProps & { node: FormNode }) {
  if (node.kind !== 'object') return <Part {...props} node={node} name="Value" isRequired />;
  const { value, onChange, problems } = props;
  const own = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  return node.fields.map(({ name, schema, isRequired }) => (
    <SchemaPart
      key={name}
      {...props}
      name={name}
      schema={schema}
      isRequired={isRequired}
      value={Object.hasOwn(own, name) ? own[name] : undefined}
      problems={inside(problems, name)}
      onChange={next => {
        const entries = Object.entries(own).filter(([other]) => other !== name);
        onChange(Object.fromEntries(next === undefined ? entries : [...entries, [name, next]]));
      }}
    />
  ));
}

const inside = (problems: readonly SchemaProblem[], name: string): SchemaProblem[] =>
  problems
    .filter(({ path }) => path[0] === name)
    .map(({ path, message }) => ({ path: path.slice(1), message }));

interface NamedProps extends PartProps {
  readonly name: string;
  readonly isRequired: boolean;
}

function SchemaPart({ schema, ...props }: NamedProps & { schema: unknown }) {
  const { root, depth } = props;
  const node = useMemo(() => toNode(schema, root, depth + 1), [schema, root, depth]);
  return <Part {...props} node={node} />;
}

function Part({ node, ...props }: NamedProps & { node: FormNode }) {
  const { name, isRequired, value, onChange, problems } = props;
  const label = node.title ?? name;
  const problem = problems.length === 0 ? undefined : problems.map(toPlacedSentence).join(' ');
  const field = { label, hint: node.description, problem, isRequired };
  switch (node.kind) {
    case 'constant':
      return (
        <Field {...field}>
          {control => <input {...control} className="input" readOnly value={JSON.stringify(node.value)} />}
        </Field>
      );
    case 'boolean':
    case 'choice':
      return (
        <Field {...field}>
          {control => (
            <ChoiceControl
              control={control}
              choices={node.kind === 'choice' ? node.choices : BOOLEANS}
              value={value}
              isRequired={isRequired}
              onChange={onChange}
            />
          )}
        </Field>
      );
    case 'choices':
      return <ChoicesGroup {...props} node={node} label={label} problem={problem} />;
    case 'number':
      return (
        <Field {...field}>
          {control => <NumberControl control={control} value={value} onChange={onChange} />}
        </Field>
      );
    case 'text':
    case 'date':
      return (
        <Field {...field}>
          {control => (
            <input
              {...control}
              className="input"
              type={node.kind === 'date' ? 'date' : 'text'}
              spellCheck={false}
              autoComplete="off"
              aria-required={isRequired}
              value={typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)}
              onChange={({ target }) =>
                onChange(
                  target.value === '' && (!isRequired || node.kind === 'date') ? undefined : target.value,
                )
              }
            />
          )}
        </Field>
      );
    case 'json':
      return (
        <Field {...field}>
          {control => <JsonControl control={control} value={value} onChange={onChange} />}
        </Field>
      );
    case 'object':
      return (
        <Group label={label} node={node} problems={problems}>
          <NodeFields
            {...props}
            node={node}
            depth={props.depth + 1}
            // An optional object without any value is not sent.
            onChange={next =>
              onChange(!isRequired && Object.keys(next as object).length === 0 ? undefined : next)
            }
          />
        </Group>
      );
    case 'array':
      return <ArrayGroup {...props} node={node} label={label} />;
    case 'union':
      return <UnionGroup {...props} node={node} label={label} />;
  }
}

type KindProps<Kind extends FormNode['kind']> = NamedProps & {
  readonly node: Extract<FormNode, { kind: Kind }>;
  readonly label: string;
};

/** A checkbox for each choice. Nothing is sent if nothing was selected and nothing is required. */
function ChoicesGroup({
  node,
  label,
  value,
  onChange,
  isRequired,
  problem,
}: KindProps<'choices'> & { problem?: string }) {
  const selected: readonly unknown[] = Array.isArray(value) ? value : [];
  return (
    <fieldset className="field-choices">
      <legend className="label">{label}</legend>
      {node.description !== undefined && <p className="hint">{node.description}</p>}
      {node.choices.map(({ value: choice, title }) => (
        <label key={title} className="switch-row">
          <input
            type="checkbox"
            checked={selected.includes(choice)}
            onChange={({ target }) => {
              const chosen = node.choices
                .map(one => one.value)
                .filter(one => (one === choice ? target.checked : selected.includes(one)));
              onChange(chosen.length === 0 && !isRequired ? undefined : chosen);
            }}
          />
          {title}
        </label>
      ))}
      {problem !== undefined && (
        <p className="hint problem" aria-live="polite">
          {problem}
        </p>
      )}
    </fieldset>
  );
}

/** The items of an array, each with buttons to move and to remove it. */
function ArrayGroup({ node, label, ...props }: KindProps<'array'>) {
  const { value, onChange, isRequired, problems, root, depth } = props;
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const change = (next: readonly unknown[]): void =>
    onChange(next.length === 0 && !isRequired ? undefined : next);
  const move = (index: number, to: number): void => {
    const next = [...items];
    const [moved] = next.splice(index, 1);
    next.splice(to, 0, moved);
    change(next);
  };
  return (
    <Group label={label} node={node} problems={problems}>
      {items.map((item, index) => (
        <div key={index} className="array-item">
          <SchemaPart
            {...props}
            name={`${label} ${index + 1}`}
            schema={node.items}
            isRequired
            value={item}
            depth={depth + 1}
            problems={inside(problems, String(index))}
            onChange={next => change(items.map((other, place) => (place === index ? next : other)))}
          />
          <div className="button-row">
            {index > 0 && (
              <button type="button" className="button subtle" onClick={() => move(index, index - 1)}>
                Move {label} {index + 1} up
              </button>
            )}
            <button
              type="button"
              className="icon-button"
              aria-label={`Remove ${label} ${index + 1}`}
              title="Remove"
              onClick={() => change(items.filter((_, place) => place !== index))}
            >
              <Icon name="trash" />
            </button>
          </div>
        </div>
      ))}
      <button
        type="button"
        className="button"
        aria-label={`Add to ${label}`}
        onClick={() =>
          change([
            ...items,
            toInitial(node.items, root, { depth: depth + 1 }) ?? toEmpty(node.items, root, depth),
          ])
        }
      >
        <Icon name="plus" /> Add
      </button>
    </Group>
  );
}

/** An item that was added exists, also before it has a value. */
function toEmpty(schema: unknown, root: unknown, depth: number): unknown {
  const { kind } = toNode(schema, root, depth + 1);
  if (kind === 'object') return {};
  return kind === 'array' ? [] : kind === 'text' ? '' : null;
}

/** The choice between the variants of a value, and the controls of the chosen one. */
function UnionGroup({ node, label, ...props }: KindProps<'union'>) {
  const { value, onChange, root, depth, isRequired, problems } = props;
  const id = useId();
  const [chosen, setChosen] = useState<number>();
  const isEmpty = value === undefined && !isRequired && chosen === undefined;
  const index = isEmpty ? -1 : (chosen ?? findVariant(node.variants, value, root));
  const variant = node.variants[index];
  return (
    <Group label={label} node={node} problems={problems}>
      <div className="field">
        <label id={`${id}-label`} htmlFor={id}>
          Variant of {label}
        </label>
        <Select
          id={id}
          value={String(index)}
          choices={[
            ...(isRequired ? [] : [{ value: '-1', title: '–' }]),
            ...node.variants.map(({ title }, place) => ({ value: String(place), title })),
          ]}
          onChange={place => {
            const next = Number(place);
            setChosen(next < 0 ? undefined : next);
            onChange(
              next < 0 ? undefined : toInitial(node.variants[next]?.schema, root, { depth: depth + 1 }),
            );
          }}
        />
      </div>
      {variant !== undefined && (
        <VariantPart key={index} {...props} schema={variant.schema} depth={depth + 1} />
      )}
    </Group>
  );
}

/** The controls of a variant: the fields of an object stand in the group of the union. */
function VariantPart({ schema, ...props }: NamedProps & { schema: unknown }) {
  const node = useMemo(() => toNode(schema, props.root, props.depth), [schema, props.root, props.depth]);
  if (node.kind === 'object') return <NodeFields {...props} node={node} />;
  return <Part {...props} node={node} isRequired />;
}
