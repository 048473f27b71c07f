import { isPlainObject, tryParseJson } from '../../../core/shared/json.js';
import { repairJson } from '../../../core/tool-calls/json-repair.js';
import { isPrototypeKey } from '../values/json-scanner.js';
import { findAll } from './pattern.js';
import {
  type ContentArgs,
  type ContentParser,
  type TemplateField,
  TRANSFORM_PATH,
} from './response-template.js';

/** A call that a region contains. */
export interface TemplateCall {
  readonly name: string;
  readonly json?: string;
  /** The arguments as they are written, if the template writes each of them as a separate text. */
  readonly values?: ReadonlyMap<string, string>;
  /** The values are JSON, or may be. */
  readonly isJson?: boolean;
}

/** Content that does not parse, so that it is text. */
class ContentError extends Error {}

/** The values of objects as they are written. */
type Written = Map<object, { readonly values: Map<string, string>; readonly isJson: boolean }>;

/** Returns the calls of a region, or undefined if its content does not parse. */
export function toTemplateCalls(
  { content, args, transform, isEach }: TemplateField,
  body: string,
  groups: Readonly<Record<string, string | undefined>>,
): readonly TemplateCall[] | undefined {
  const written: Written = new Map();
  try {
    const value = parseContent(content, args, body, written);
    const scope = { ...groups, content: value };
    return toCalls(applyTransform({ transform, isEach }, scope), written);
  } catch (error) {
    if (error instanceof ContentError) return undefined;
    throw error;
  }
}

function parseContent(parser: ContentParser, args: ContentArgs, text: string, written: Written): unknown {
  const stripped = args.strip === false ? text : text.trim();
  switch (parser) {
    case 'text':
      return stripped;
    case 'int':
    case 'float':
      if (
        stripped === '' ||
        !(parser === 'int' ? /^[-+]?\d+$/ : /^[-+]?[\d.]+(?:e[-+]?\d+)?$/i).test(stripped)
      ) {
        throw new ContentError();
      }
      return Number(stripped);
    case 'bool':
      return ['true', '1'].includes(stripped.toLowerCase());
    case 'json':
      return parseJson(text, args);
    case 'xml-inline':
      return parseTags(text, args, written);
    case 'kv-lines':
      return parseLines(text, args, written);
  }
}

function parseJson(text: string, args: ContentArgs): unknown {
  const json = toStandardJson(text, args);
  const value = tryParseJson(json);
  if (value !== undefined) return value;
  const repaired = repairJson(json);
  if (typeof repaired !== 'string' && repaired.isCompleted !== true) return repaired.value;
  if (args.allow_non_json === true) return text.trim();
  throw new ContentError();
}

/** Replaces other delimiters of strings and keys without quotes. */
function toStandardJson(
  text: string,
  { string_delims: delimiters = [], unquoted_keys: hasBareKeys }: ContentArgs,
): string {
  let json = '';
  let plain = '';
  const addPlain = () => {
    json += hasBareKeys === true ? plain.replace(/([{,]\s*)([\p{L}\p{N}_]+)(?=\s*:)/gu, '$1"$2"') : plain;
    plain = '';
  };
  for (let at = 0; at < text.length;) {
    const pair = delimiters.find(([open]) => text.startsWith(open, at));
    const end = pair === undefined ? -1 : text.indexOf(pair[1], at + pair[0].length);
    if (pair === undefined || end < 0) {
      // A string in quotation marks contains no delimiters.
      const [string] = /^"(?:[^"\\]|\\.)*"/s.exec(
        text.charAt(at) === '"' ? text.slice(at, at + 4096) : '',
      ) ?? [text.charAt(at)];
      if (string.length > 1) {
        addPlain();
        json += string;
      } else plain += string;
      at += string.length;
      continue;
    }
    addPlain();
    json += JSON.stringify(text.slice(at + pair[0].length, end));
    at = end + pair[1].length;
  }
  addPlain();
  return json;
}

function parseTags(text: string, args: ContentArgs, written: Written): unknown {
  const { tag_pattern: pattern, merge_duplicates: isMerged } = args;
  const matches = pattern === undefined ? undefined : findAll(pattern, text);
  if (matches === undefined) throw new ContentError();
  const entries = matches.map(match => [match.key ?? '', match.value ?? ''] as const);
  return toObject(entries, args, written, isMerged === true);
}

function parseLines(text: string, args: ContentArgs, written: Written): unknown {
  const { line_sep: lineEnd = '\n', kv_sep: separator = ':', strip = true } = args;
  const trim = (part: string) => (strip ? part.trim() : part);
  const entries = text.split(lineEnd).flatMap(line => {
    const at = line.indexOf(separator);
    return at < 0 ? [] : [[trim(line.slice(0, at)), trim(line.slice(at + separator.length))] as const];
  });
  return toObject(entries, args, written, false);
}

function toObject(
  entries: readonly (readonly [key: string, text: string])[],
  { value_parser: parser = { name: 'text', args: { strip: false } } }: ContentArgs,
  written: Written,
  isMerged: boolean,
): unknown {
  const values = new Map<string, string>();
  const object: Record<string, unknown> = {};
  let isRepeated = false;
  for (const [key, text] of entries) {
    if (key === '' || isPrototypeKey(key)) throw new ContentError();
    const value = parseContent(parser.name, parser.args, text, written);
    if (isMerged && values.has(key)) {
      isRepeated = true;
      const before = object[key];
      object[key] = [...(Array.isArray(before) ? (before as unknown[]) : [before]), value];
    } else {
      object[key] = value;
    }
    values.set(key, parser.args.strip === false ? text : text.trim());
  }
  if (!isRepeated) written.set(object, { values, isJson: parser.name === 'json' });
  return object;
}

function applyTransform(
  field: Pick<TemplateField, 'transform' | 'isEach'>,
  scope: Readonly<Record<string, unknown>>,
): unknown {
  if (field.transform === undefined) return scope.content;
  if (!field.isEach) return fill(field.transform, scope);
  if (!Array.isArray(scope.content)) throw new ContentError();
  return scope.content.map((content: unknown) =>
    fill(field.transform, { ...scope, ...(isPlainObject(content) && content), content }),
  );
}

function fill(shape: unknown, scope: Readonly<Record<string, unknown>>): unknown {
  if (typeof shape === 'string') {
    const [, path] = TRANSFORM_PATH.exec(shape) ?? [];
    return path === undefined ? shape : valueAt(path, scope);
  }
  if (Array.isArray(shape)) return shape.map(inner => fill(inner, scope));
  if (!isPlainObject(shape)) return shape;
  return Object.fromEntries(Object.entries(shape).map(([key, inner]) => [key, fill(inner, scope)]));
}

function valueAt(path: string, scope: unknown): unknown {
  let value: unknown = scope;
  for (const key of path.split('.')) {
    if (!isPlainObject(value) || !Object.hasOwn(value, key)) throw new ContentError();
    value = value[key];
  }
  return value;
}

function toCalls(value: unknown, written: Written): TemplateCall[] {
  return [value].flat().map(call => {
    const outer = isPlainObject(call) ? call : {};
    const { name, arguments: input = {} } = isPlainObject(outer.function) ? outer.function : outer;
    if (typeof name !== 'string' || name === '') throw new ContentError();
    if (typeof input === 'string') return { name, json: input.trim() };
    if (!isPlainObject(input)) throw new ContentError();
    const texts = written.get(input);
    return texts === undefined ? { name, json: JSON.stringify(input) } : { name, ...texts };
  });
}
