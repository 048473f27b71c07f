import { useEffect, useState } from 'react';
import type { Settings } from '../../shared/playground-state.js';
import type { PageHook } from '../page/use-page.js';
import { CodeField, Field, TextField } from '../ui/field.js';
import { Select } from '../ui/select.js';
import { describeFailure } from '../../shared/failure.js';

export interface ParameterFieldsProps {
  readonly settings: Settings;
  readonly servers: PageHook['servers'];
  readonly change: (settings: Partial<Settings>) => Promise<void>;
}

/** Parameters of the request. Empty ones are not sent. */
export function ParameterFields({ settings, servers, change }: ParameterFieldsProps) {
  const tools = [
    ...new Set([
      ...(servers?.servers.flatMap(server => server.tools.map(({ name }) => name)) ?? []),
      'word-count',
    ]),
  ];
  const count = [
    settings.temperature !== null,
    settings.maxOutputTokens !== null,
    settings.verbosity !== 'default',
    settings.toolChoice !== 'default',
    settings.parallelToolCalls !== 'default',
    settings.responseSchema !== '',
  ].filter(Boolean).length;
  return (
    <details className="parameters">
      <summary>Parameters{count > 0 && ` · ${count} set`}</summary>
      <NumberField
        label="Temperature"
        value={settings.temperature}
        expected="Expected a number from 0 to 2, or nothing."
        isValid={value => value >= 0 && value <= 2}
        onSave={temperature => void change({ temperature })}
      />
      <NumberField
        label="Maximum output tokens"
        value={settings.maxOutputTokens}
        expected="Expected a whole number from 1, or nothing."
        isValid={value => Number.isInteger(value) && value >= 1 && value <= 10_000_000}
        onSave={maxOutputTokens => void change({ maxOutputTokens })}
      />
      <Choice
        label="Verbosity"
        value={settings.verbosity}
        options={{ default: 'not sent', low: 'low', medium: 'medium', high: 'high' }}
        onChange={verbosity => void change({ verbosity })}
      />
      <Choice
        label="Tool choice"
        value={settings.toolChoice}
        options={{
          default: 'not set (auto)',
          auto: 'auto',
          none: 'none',
          required: 'required',
          ...Object.fromEntries(tools.map(name => [`tool:${name}`, name])),
          // A tool whose server is not connected stays selected.
          ...(settings.toolChoice.startsWith('tool:') && {
            [settings.toolChoice]: settings.toolChoice.slice('tool:'.length),
          }),
        }}
        onChange={toolChoice => void change({ toolChoice })}
      />
      <Choice
        label="Parallel tool calls"
        value={settings.parallelToolCalls}
        options={{ default: 'not sent', on: 'on', off: 'off' }}
        onChange={parallelToolCalls => void change({ parallelToolCalls })}
      />
      <SchemaField
        value={settings.responseSchema}
        onSave={responseSchema => void change({ responseSchema })}
      />
    </details>
  );
}

interface NumberFieldProps {
  readonly label: string;
  readonly value: number | null;
  readonly expected: string;
  readonly isValid: (value: number) => boolean;
  readonly onSave: (value: number | null) => void;
}

function NumberField({ label, value, expected, isValid, onSave }: NumberFieldProps) {
  return (
    <TextField
      label={label}
      value={value === null ? '' : String(value)}
      input={{ inputMode: 'decimal', placeholder: 'not sent', autoComplete: 'off' }}
      check={text => (text.trim() === '' || isValid(Number(text)) ? undefined : expected)}
      onSave={text => onSave(text.trim() === '' ? null : Number(text))}
    />
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: Readonly<Record<Value, string>>;
  readonly onChange: (value: Value) => void;
}

function Choice<Value extends string>({ label, value, options, onChange }: ChoiceProps<Value>) {
  return (
    <Field label={label}>
      {props => (
        <Select
          {...props}
          value={value}
          choices={Object.entries<string>(options).map(([option, title]) => ({ value: option, title }))}
          onChange={option => onChange(option as Value)}
        />
      )}
    </Field>
  );
}

/** The JSON schema of the response, saved on blur. The server rejects a text that is no schema. */
function SchemaField({ value, onSave }: { value: string; onSave: (value: string) => void }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const problem = findSyntaxError(text);
  return (
    <CodeField
      label="JSON schema of the response"
      hint="Structured output: the response is compared with the schema and displayed as a tree."
      problem={problem}
      rows={4}
      placeholder='{ "type": "object", "properties": { … } }'
      value={text}
      onChange={setText}
      onBlur={() => text !== value && problem === undefined && onSave(text.trim())}
    />
  );
}

function findSyntaxError(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `Expected JSON. ${describeFailure(error)}`;
  }
}
