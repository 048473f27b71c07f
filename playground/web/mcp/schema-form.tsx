import { type ReactNode, useState } from 'react';
import type { SchemaProblem } from '../../shared/mcp-inspection.js';
import { forgetInput, useKept } from '../page/kept-input.js';
import { CodeField } from '../ui/field.js';
import { readJson } from '../ui/json-text.js';
import { findInvalidJson, inputCodec, InvalidJson, toInitial, toNode } from './form-schema.js';
import { toPlacedSentence, toSentence } from './schema-controls.js';
import { NodeFields } from './schema-fields.js';
import { Problem } from '../ui/problem.js';

export interface SchemaFormProps {
  readonly schema: unknown;
  /** The value at the beginning. @default the defaults of the schema */
  readonly initial?: unknown;
  readonly submitTitle: string;
  readonly isBusy?: boolean;
  readonly onSubmit: (value: Readonly<Record<string, unknown>>) => void;
  /** A name under which the input survives a reload and other views, until it is forgotten. */
  readonly keptAs: string;
  /** Problems of the value that was submitted last, each shown at its field. */
  readonly problems?: readonly SchemaProblem[];
  /** Further buttons. */
  readonly children?: ReactNode;
}

const toJsonKey = (key: string): string => `${key} as JSON`;

/** Forgets what was entered in a form. */
export const forgetForm = (keptAs: string): void => forgetInput(keptAs, toJsonKey(keptAs));

/** A form with a control for each part of a JSON Schema, or its value as JSON. */
export function SchemaForm(props: SchemaFormProps) {
  const { schema, submitTitle, isBusy = false, onSubmit, keptAs, children } = props;
  const [value, change] = useKept<unknown>(
    keptAs,
    () => props.initial ?? toInitial(schema, schema) ?? {},
    inputCodec,
  );
  /** The value as a text, while it is edited as JSON. */
  const [text, setText] = useKept<string | undefined>(toJsonKey(keptAs), () => undefined);
  const [problem, setProblem] = useState<string>();
  const [sent, setSent] = useState<unknown>();
  // A problem of a field ends with the next change of the field.
  const problems = (props.problems ?? []).filter(
    ({ path }) => sent === undefined || text !== undefined || valueAt(sent, path) === valueAt(value, path),
  );
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
        setSent(submitted);
        onSubmit(submitted);
      }}
    >
      {text !== undefined ? (
        <CodeField
          label="Arguments as JSON"
          problem={problems.length === 0 ? undefined : problems.map(toPlacedSentence).join(' ')}
          rows={Math.min(20, Math.max(6, text.split('\n').length + 1))}
          value={text}
          onChange={setText}
        />
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
      <Problem>{general}</Problem>
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

const valueAt = (value: unknown, path: SchemaProblem['path']): unknown =>
  path.reduce<unknown>((found, name) => (found as Record<string, unknown> | null | undefined)?.[name], value);
