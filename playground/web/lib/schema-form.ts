/** One field of a form for a JSON Schema. */
export interface SchemaField {
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  readonly isRequired: boolean;
  /** `json` is a text field for values that have no simpler control. */
  readonly kind: 'text' | 'number' | 'boolean' | 'choice' | 'json';
  readonly choices: readonly { readonly value: string; readonly title: string }[];
  /** Text of the control at the beginning. */
  readonly initial: string;
}

/** Returns the fields of an object schema, in the order of its properties. */
export function toFields(schema: unknown): SchemaField[] {
  const { properties, required } = toRecord(schema);
  const names = Array.isArray(required) ? required : [];
  return Object.entries(toRecord(properties)).map(([name, property]): SchemaField => {
    const { title, description, default: initial } = toRecord(property);
    const choices = toChoices(property);
    const kind = choices.length > 0 ? 'choice' : toKind(property);
    return {
      name,
      title: typeof title === 'string' ? title : name,
      ...(typeof description === 'string' && { description }),
      isRequired: names.includes(name),
      kind,
      choices,
      initial: initial === undefined ? '' : typeof initial === 'string' ? initial : JSON.stringify(initial),
    };
  });
}

function toKind(property: unknown): SchemaField['kind'] {
  const { type } = toRecord(property);
  if (type === 'string') return 'text';
  if (type === 'number' || type === 'integer') return 'number';
  return type === 'boolean' ? 'boolean' : 'json';
}

/** `enum`, `enum` with `enumNames`, and `oneOf` with constants. */
function toChoices(property: unknown): SchemaField['choices'] {
  const { enum: values, enumNames, oneOf } = toRecord(property);
  if (Array.isArray(values) && values.every(value => typeof value === 'string')) {
    const titles = Array.isArray(enumNames) ? enumNames : [];
    return values.map((value, index) => ({ value, title: String(titles[index] ?? value) }));
  }
  const options = (Array.isArray(oneOf) ? oneOf : []).map(toRecord);
  return options.length > 0 && options.every(option => typeof option.const === 'string')
    ? options.map(({ const: value, title }) => ({ value: String(value), title: String(title ?? value) }))
    : [];
}

/** A value that was filled in, or the first reason why it cannot be sent. */
export type FilledForm =
  | { readonly value: Readonly<Record<string, unknown>>; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: string };

/** Converts the texts of the controls. Empty optional fields are left out. */
export function toValue(fields: readonly SchemaField[], texts: Readonly<Record<string, string>>): FilledForm {
  const value: Record<string, unknown> = {};
  for (const { name, title, kind, isRequired } of fields) {
    const text = texts[name] ?? '';
    if (text === '' && kind !== 'boolean') {
      if (!isRequired) continue;
      if (kind !== 'text') return { problem: `Expected a value for “${title}”, which is required.` };
    }
    if (kind === 'boolean') {
      if (text !== '' || isRequired) value[name] = text === 'true';
    } else if (kind === 'number') {
      if (!Number.isFinite(Number(text)))
        return { problem: `Expected a number for “${title}”, got “${text}”.` };
      value[name] = Number(text);
    } else if (kind === 'json') {
      try {
        value[name] = JSON.parse(text);
      } catch {
        return { problem: `Expected JSON for “${title}”, got “${text.slice(0, 40)}”.` };
      }
    } else value[name] = text;
  }
  return { value };
}

const toRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
