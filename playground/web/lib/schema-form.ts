/** One field of a form for a JSON Schema. */
export interface SchemaField {
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  readonly isRequired: boolean;
  /**
   * `choices` allows several of the choices, and its text is a JSON array. `json` is a text field for values that have no
   * simpler control.
   */
  readonly kind: 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices' | 'json';
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
    const schema = withoutNull(toRecord(property));
    const several = schema.type === 'array' ? toChoices(withoutNull(toRecord(schema.items))) : [];
    const choices = several.length > 0 ? several : toChoices(schema);
    const hasInitial =
      initial !== undefined && initial !== null && (several.length === 0 || Array.isArray(initial));
    return {
      name,
      title: typeof title === 'string' ? title : name,
      ...(typeof description === 'string' && { description }),
      isRequired: names.includes(name),
      kind: several.length > 0 ? 'choices' : choices.length > 0 ? 'choice' : toKind(schema),
      choices,
      initial: !hasInitial ? '' : typeof initial === 'string' ? initial : JSON.stringify(initial),
    };
  });
}

/** Returns the only alternative to `null`: optional parameters of Python servers are `anyOf` a type and `null`. */
function withoutNull(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { type, anyOf } = schema;
  const types = Array.isArray(type) ? type.filter(one => one !== 'null') : [];
  if (types.length === 1) return { ...schema, type: types[0] };
  const others = (Array.isArray(anyOf) ? anyOf : []).map(toRecord).filter(one => one.type !== 'null');
  return others.length === 1 ? { ...schema, ...others[0] } : schema;
}

function toKind({ type }: Readonly<Record<string, unknown>>): SchemaField['kind'] {
  if (type === 'string') return 'text';
  return type === 'number' || type === 'integer' || type === 'boolean' ? type : 'json';
}

/** `enum`, `enum` with `enumNames`, and `oneOf` or `anyOf` with constants. */
function toChoices(schema: Readonly<Record<string, unknown>>): SchemaField['choices'] {
  const { enum: values, enumNames, oneOf, anyOf } = schema;
  if (Array.isArray(values) && values.every(value => typeof value === 'string')) {
    const titles = Array.isArray(enumNames) ? enumNames : [];
    return values.map((value, index) => ({ value, title: String(titles[index] ?? value) }));
  }
  const options = [oneOf, anyOf].flatMap(list => (Array.isArray(list) ? list : [])).map(toRecord);
  return options.length > 0 && options.every(option => typeof option.const === 'string')
    ? options.map(({ const: value, title }) => ({ value: String(value), title: String(title ?? value) }))
    : [];
}

/** A value that was filled in, or the first reason why it cannot be sent. */
export type FilledForm =
  | { readonly value: Readonly<Record<string, unknown>>; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: string };

const numbers = { number: 'a number', integer: 'an integer' } as const;

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
    } else if (kind === 'number' || kind === 'integer') {
      const number = text.trim() === '' ? Number.NaN : Number(text);
      if (!(kind === 'integer' ? Number.isInteger(number) : Number.isFinite(number)))
        return { problem: `Expected ${numbers[kind]} for “${title}”, got “${text}”.` };
      value[name] = number;
    } else if (kind === 'json' || kind === 'choices') {
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
