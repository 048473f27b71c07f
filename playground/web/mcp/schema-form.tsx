import { type ReactNode, useId, useMemo, useState } from 'react';
import type { SchemaProblem } from '../../shared/mcp-inspection.js';
import { Field } from '../ui/field.js';
import { Icon } from '../ui/icon.js';
import { readJson } from '../ui/json-text.js';
import {
  type Choice,
  findInvalidJson,
  findVariant,
  type FormNode,
  InvalidJson,
  toInitial,
  toNode,
} from './form-schema.js';

export interface SchemaFormProps {
  readonly schema: unknown;
  /** The value at the beginning. @default the defaults of the schema */
  readonly initial?: unknown;
  readonly submitTitle: string;
  readonly isBusy?: boolean;
  readonly onSubmit: (value: Readonly<Record<string, unknown>>) => void;
  readonly onChange?: (value: unknown) => void;
  /** Problems of the value that was submitted last, each shown at its field. */
  readonly problems?: readonly SchemaProblem[];
  /** Further buttons. */
  readonly children?: ReactNode;
}

/** A form with a control for each part of a JSON Schema, or its value as JSON. */
export function SchemaForm(props: SchemaFormProps) {
  const { schema, submitTitle, isBusy = false, onSubmit, onChange, problems = [], children } = props;
  const [value, setValue] = useState<unknown>(() => props.initial ?? toInitial(schema, schema) ?? {});
  /** The value as a text, while it is edited as JSON. */
  const [text, setText] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const change = (next: unknown): void => {
    setValue(next);
    onChange?.(next);
  };
  /** Returns the value that the user sees, unless it is no JSON object. */
  const read = (): Record<string, unknown> | undefined => {
    const parsed = text === undefined ? { value } : readJson(text);
    const invalid = findInvalidJson(parsed.value);
    const isObject =
      typeof parsed.value === 'object' && parsed.value !== null && !Array.isArray(parsed.value);
    const found =
      parsed.problem ??
      (invalid === undefined ? undefined : `Expected JSON for “${invalid.join('.')}”.`) ??
      (isObject ? undefined : 'Expected a JSON object.');
    setProblem(found);
    return found === undefined ? ((parsed.value ?? {}) as Record<string, unknown>) : undefined;
  };
  const toggle = (): void => {
    if (text === undefined) {
      setProblem(undefined);
      return setText(
        JSON.stringify(
          value ?? {},
          (_name, one: unknown) => (one instanceof InvalidJson ? one.text : one),
          2,
        ),
      );
    }
    const edited = read();
    if (edited === undefined) return;
    change(edited);
    setText(undefined);
  };
  const unplaced = problems.filter(({ path }) => path.length === 0);
  const general = problem ?? (unplaced.length === 0 ? undefined : unplaced.map(toSentence).join(' '));
  return (
    <form
      className="schema-form"
      noValidate
      onSubmit={event => {
        event.preventDefault();
        const submitted = read();
        if (submitted === undefined) return;
        if (text !== undefined) change(submitted);
        onSubmit(submitted);
      }}
    >
      {text !== undefined ? (
        <Field
          label="Arguments as JSON"
          problem={problems.length === 0 ? undefined : problems.map(toPlacedSentence).join(' ')}
        >
          {control => (
            <textarea
              {...control}
              className="input code-input"
              rows={Math.min(20, Math.max(6, text.split('\n').length + 1))}
              spellCheck={false}
              value={text}
              onChange={event => setText(event.target.value)}
            />
          )}
        </Field>
      ) : (
        <NodeFields
          node={toNode(schema, schema)}
          root={schema}
          value={value}
          onChange={change}
          problems={problems}
          depth={0}
        />
      )}
      {general !== undefined && (
        <p className="note problem" role="alert">
          {general}
        </p>
      )}
      <div className="button-row">
        <button type="submit" className="button primary" disabled={isBusy}>
          {submitTitle}
        </button>
        {children}
        <button type="button" className="button subtle" aria-pressed={text !== undefined} onClick={toggle}>
          {text === undefined ? 'Edit as JSON' : 'Edit as a form'}
        </button>
      </div>
    </form>
  );
}

const toSentence = ({ message }: SchemaProblem): string => `${message}.`;
const toPlacedSentence = ({ path, message }: SchemaProblem): string =>
  path.length === 0 ? `${message}.` : `${path.join('.')}: ${message}.`;

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
function NodeFields({ node, ...props }: PartProps & { node: FormNode }) {
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

interface Control {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
}

const BOOLEANS: readonly Choice[] = [
  { value: true, title: 'true' },
  { value: false, title: 'false' },
];

interface ChoiceControlProps {
  readonly control: Control;
  readonly choices: readonly Choice[];
  readonly value: unknown;
  readonly isRequired: boolean;
  readonly onChange: (value: unknown) => void;
}

function ChoiceControl({ control, choices, value, isRequired, onChange }: ChoiceControlProps) {
  const index = choices.findIndex(choice => JSON.stringify(choice.value) === JSON.stringify(value));
  return (
    <select
      {...control}
      className="input"
      value={index < 0 ? '' : choices[index]?.title}
      onChange={event => onChange(choices.find(({ title }) => title === event.target.value)?.value)}
    >
      {(!isRequired || index < 0) && <option value="">–</option>}
      {choices.map(({ title }) => (
        <option key={title} value={title}>
          {title}
        </option>
      ))}
    </select>
  );
}

interface ValueControlProps {
  readonly control: Control;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** A text that is no number stays as it is, so that it can be corrected. The check reports it. */
function NumberControl({ control, value, onChange }: ValueControlProps) {
  const read = (text: string): unknown => {
    if (text === '') return undefined;
    const number = text.trim() === '' ? Number.NaN : Number(text);
    return Number.isFinite(number) ? number : text;
  };
  const [typed, setTyped] = useState(value === undefined ? '' : String(value));
  // Another value comes from outside, such as a repeated call.
  const text = read(typed) === value ? typed : value === undefined ? '' : String(value);
  return (
    <input
      {...control}
      className="input"
      inputMode="decimal"
      autoComplete="off"
      value={text}
      onChange={event => {
        setTyped(event.target.value);
        onChange(read(event.target.value));
      }}
    />
  );
}

/** The editor of a value for which there is no control. */
function JsonControl({ control, value, onChange }: ValueControlProps) {
  const [typed, setTyped] = useState(() => (value === undefined ? '' : JSON.stringify(value)));
  return (
    <textarea
      {...control}
      className="input code-input"
      rows={3}
      placeholder="JSON"
      spellCheck={false}
      value={value instanceof InvalidJson ? value.text : typed}
      onChange={({ target }) => {
        setTyped(target.value);
        const { value: parsed, problem } = readJson(target.value);
        if (target.value.trim() === '') onChange(undefined);
        else onChange(problem === undefined ? parsed : new InvalidJson(target.value));
      }}
    />
  );
}

interface GroupProps {
  readonly label: string;
  readonly node: FormNode;
  readonly problems?: readonly SchemaProblem[];
  readonly children: ReactNode;
}

/** Several controls of one value. Problems of the value itself stand below its title. */
function Group({ label, node: { description }, problems = [], children }: GroupProps) {
  const own = problems.filter(({ path }) => path.length === 0);
  return (
    <fieldset className="field-group">
      <legend className="label">{label}</legend>
      {description !== undefined && <p className="hint">{description}</p>}
      {own.length > 0 && (
        <p className="hint problem" aria-live="polite">
          {own.map(toSentence).join(' ')}
        </p>
      )}
      {children}
    </fieldset>
  );
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
        <label htmlFor={id}>Variant of {label}</label>
        <select
          id={id}
          className="input"
          value={index}
          onChange={({ target }) => {
            const next = Number(target.value);
            setChosen(next < 0 ? undefined : next);
            onChange(
              next < 0 ? undefined : toInitial(node.variants[next]?.schema, root, { depth: depth + 1 }),
            );
          }}
        >
          {!isRequired && <option value={-1}>–</option>}
          {node.variants.map(({ title }, place) => (
            <option key={place} value={place}>
              {title}
            </option>
          ))}
        </select>
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
