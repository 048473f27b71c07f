import { idOf, isPlainObject, type PlainObject } from './json.js';

/** An error that a server reported, in one shape. */
export interface ReportedError {
  readonly message: string;
  readonly code?: string;
  readonly type?: string;
  /** The request field that the server names as the cause. */
  readonly param?: string;
}

type Facts = Partial<ReportedError>;

/** Errors are nested in fewer levels, and a deeper text is not about the failure. */
const MAX_DEPTH = 5;

const MESSAGES = ['message', 'msg', 'error_message', 'error_msg', 'detail', 'error_description', 'reason'];
const CODES = ['code', 'error_code', 'errorCode'];

/** Members that contain an error for certain. They come before the text beside them. */
const ERRORS = ['error', 'errors', 'exception'];

/** Members that contain the reason if nothing nearer does. */
const DETAILS = ['last_error', 'status_details', 'incomplete_details', 'details'];

/**
 * Reads an error in any of the shapes that servers use: nested `{error:{message,code}}`, also twice and in a list, flat
 * `{type:"error",code,message}`, a plain string `{error:"text",code}` (xAI), the upstream's error in `metadata.raw`
 * (OpenRouter), `{detail}` (vLLM's FastAPI), beside or inside of a `response`. A `code` may be null, a string or a number.
 *
 * The message is the nearest text. Code, type and field come from its object, and from the next one for what that lacks.
 */
export function readError(value: unknown): ReportedError | undefined {
  if (typeof value !== 'object') return undefined;
  const found = [...factsIn(value)];
  const nearest = found.find(error => error.message !== undefined);
  const inOrder = nearest === undefined ? found : [nearest, ...found];
  const first = (name: keyof Facts) => inOrder.find(facts => facts[name] !== undefined)?.[name];
  const [code, type, param] = [first('code'), first('type'), first('param')];
  const message = nearest?.message ?? (code === undefined ? undefined : `error ${code}`);
  if (message === undefined) return undefined;
  return {
    message,
    ...(code !== undefined && { code }),
    ...(type !== undefined && { type }),
    ...(param !== undefined && { param }),
  };
}

/** Returns the facts of an error, the most certain ones first. */
function* factsIn(value: unknown, depth = 0): Generator<Facts> {
  if (depth > MAX_DEPTH) return;
  if (typeof value === 'string' && value !== '') yield { message: value };
  else if (Array.isArray(value)) {
    for (const entry of value) yield* factsIn(entry, depth + 1);
  } else if (isPlainObject(value)) {
    const { response } = value;
    const inner = isPlainObject(response) ? response : {};
    for (const name of ERRORS) yield* factsIn(inner[name], depth + 1);
    for (const name of ERRORS) yield* factsIn(value[name], depth + 1);
    yield* ownFacts(value, depth);
    for (const name of DETAILS) yield* factsIn(value[name], depth + 1);
    yield* factsIn(response, depth + 1);
  }
}

function* ownFacts(fields: PlainObject, depth: number): Generator<Facts> {
  const [code, type, param] = [codeOf(fields), typeOf(fields), idOf(fields.param)];
  const others = {
    ...(code !== undefined && { code }),
    ...(type !== undefined && { type }),
    ...(param !== undefined && { param }),
  };
  const raw = isPlainObject(fields.metadata) ? idOf(fields.metadata.raw) : undefined;
  const text = MESSAGES.map(name => idOf(fields[name])).find(message => message !== undefined);
  const message =
    text === undefined || raw === undefined || text.includes(raw) ? (text ?? raw) : `${text}: ${raw}`;
  if (message !== undefined) return yield { message, ...others };
  for (const name of MESSAGES) {
    if (isPlainObject(fields[name])) {
      for (const facts of factsIn(fields[name], depth + 1)) yield { ...others, ...facts };
    }
  }
  // A list of invalid fields (FastAPI) says nothing without its structure.
  const { detail } = fields;
  yield {
    ...(typeof detail === 'object' && detail !== null && { message: JSON.stringify(detail) }),
    ...others,
  };
}

function codeOf(fields: PlainObject): string | undefined {
  const code = CODES.map(name => fields[name]).find(
    value => value !== undefined && value !== null && value !== '',
  );
  return typeof code === 'number' ? String(code) : idOf(code);
}

/** Returns the type of an error. Types of events and items are none. */
function typeOf(fields: PlainObject): string | undefined {
  return fields.type === 'error' || /^(?:response|message)(?:\.|$)/.test(String(fields.type))
    ? undefined
    : idOf(fields.type);
}
