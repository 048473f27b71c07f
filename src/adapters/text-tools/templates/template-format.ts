import { type Reading, type TextCursor, toStopExpression } from '../reading/text-cursor.js';
import type { ReasoningTags, TextCalls, TextSyntax, TextToolFormat } from '../reading/text-tool-format.js';
import { endsUnclosed } from '../tags/tagged-call.js';
import { createArgumentWriter } from '../values/argument-writer.js';
import { toArguments } from '../values/json-arguments.js';
import { JsonScanner } from '../values/json-scanner.js';
import { groupsOf, type PatternMatch, PatternRun } from './pattern.js';
import { parseResponseTemplate, type ResponseTemplate, type TemplateField } from './response-template.js';
import { type TemplateCall, toTemplateCalls } from './template-content.js';

/** The longest opener. Longer matches of an expression count as text, so that each text is read once. */
const MAX_OPENER = 1024;

/** The start of a region. */
interface Opening {
  readonly field: TemplateField;
  readonly match: PatternMatch;
}

/**
 * Creates the syntax that a response template describes.
 *
 * @throws KelivoError with code `invalid-settings` for an invalid template.
 */
export function createTemplateSyntax(template: ResponseTemplate): TextSyntax {
  const fields = parseResponseTemplate(template);
  const reasoning = fields.flatMap(toReasoningTags);
  const regions = fields.filter(field => field.open !== undefined && toReasoningTags(field).length === 0);
  const implicit = fields.find(field => field.open === undefined);
  const ends = implicit?.close?.literals ?? implicit?.close?.prefixes ?? [];
  const create = (isCall: boolean): TextToolFormat => {
    const own = regions.filter(region => (region.kind === 'calls') === isCall);
    return {
      name: isCall ? 'response-template' : 'response-template-text',
      openers: [...new Set(own.flatMap(field => field.open?.prefixes ?? []))],
      readsOpener: true,
      isMessageMarkup: !isCall,
      reasoningEnders: reasoningEndersOf(fields),
      artefacts: isCall ? [] : [...new Set([...ends, ...reasoningEndersOf(fields)])],
      *accepts(cursor) {
        const opening = yield* findOpening(cursor, regions);
        return opening !== undefined && own.includes(opening.field);
      },
      *read(cursor, calls) {
        const opening = yield* findOpening(cursor, regions);
        if (opening === undefined) return false;
        const start = cursor.take(opening.match.end);
        return isCall
          ? yield* readCalls(cursor, calls, opening, start)
          : yield* readText(cursor, calls, opening.field);
      },
    };
  };
  return {
    formats: [create(true), create(false)],
    reasoning,
    startsInReasoning: fields.some(field => field.kind === 'reasoning' && field.open?.matchesStart === true),
    dropsText: implicit?.kind !== 'text',
  };
}

/** Returns the pairs of tags of a field whose delimiters are literals. */
function toReasoningTags(field: TemplateField): readonly ReasoningTags[] {
  const [end] = field.close?.literals ?? [];
  if (field.kind !== 'reasoning' || field.open?.literals === undefined || end === undefined) return [];
  return field.open.literals.map(literal => ({ open: literal.trim(), close: end.trim(), isAnywhere: true }));
}

/** The delimiters of reasoning beside the first, which are dropped behind it. */
const reasoningEndersOf = (fields: readonly TemplateField[]): readonly string[] =>
  fields.flatMap(field =>
    toReasoningTags(field).length === 0 ? [] : (field.close?.literals?.slice(1) ?? []),
  );

/** Returns the opener at the position: the longest one. Takes nothing. */
function* findOpening(cursor: TextCursor, regions: readonly TemplateField[]): Reading<Opening | undefined> {
  const isStart = cursor.taken === 0;
  const runs = regions.flatMap(field =>
    field.open === undefined ? [] : [{ field, run: new PatternRun(field.open, false) }],
  );
  const step = (character: string | undefined, offset: number) => {
    for (const { run } of runs) run.step(character, offset, isStart && offset === 0);
    return runs.some(entry => !entry.run.isDone) && offset < MAX_OPENER;
  };
  const end = yield* cursor.scan(step);
  step(undefined, end);
  const found = runs.flatMap(({ field, run }) =>
    run.match === undefined ? [] : [{ field, match: run.match }],
  );
  return found.toSorted((a, b) => b.match.end - a.match.end)[0];
}

/** The end of a region, with the text of its closer, which is missing at the end of the response. */
interface Closing {
  readonly closer: string | undefined;
  readonly groups: Readonly<Record<string, string | undefined>>;
}

/** Passes text on up to the closer of a region, and takes the closer. */
function* readUpToCloser(
  cursor: TextCursor,
  { close, args }: Pick<TemplateField, 'close' | 'args'>,
  onText: (text: string) => void,
): Reading<Closing> {
  if (close === undefined) {
    yield* cursor.passUntil(/(?!)/g, onText);
    return { closer: '', groups: {} };
  }
  if (close.names.length > 0 || close.prefixes === undefined || close.literals === undefined) {
    return yield* readUpToPattern(cursor, close, onText);
  }
  const { literals } = close;
  const delimiters = new Map(args.string_delims);
  const stop = toStopExpression([...literals, ...delimiters.keys()]);
  for (;;) {
    if ((yield* cursor.passUntil(stop, onText)) === undefined) return { closer: undefined, groups: {} };
    const closer = yield* cursor.match(literals);
    if (closer !== undefined) return { closer: cursor.take(closer.length), groups: {} };
    const open = yield* cursor.match([...delimiters.keys()]);
    onText(cursor.take(open?.length ?? 1));
    if (open !== undefined) yield* passString(cursor, delimiters.get(open) ?? '', onText);
  }
}

/** Passes the rest of a string on, with its closing delimiter. */
function* passString(cursor: TextCursor, close: string, onText: (text: string) => void): Reading<void> {
  const stop = toStopExpression([close]);
  while ((yield* cursor.passUntil(stop, onText)) !== undefined) {
    const isEnd = yield* cursor.sees(close);
    onText(cursor.take(isEnd ? close.length : 1));
    if (isEnd) return;
  }
}

function* readUpToPattern(
  cursor: TextCursor,
  close: NonNullable<TemplateField['close']>,
  onText: (text: string) => void,
): Reading<Closing> {
  const run = new PatternRun(close, true);
  let held = '';
  let position = 0;
  yield* cursor.takeEach(() => {
    const text = cursor.rest();
    for (let at = 0; at < text.length && !run.isDone; at++) run.step(text[at], position + at, false);
    const start = position - held.length;
    held += cursor.take(text.length);
    position += text.length;
    const free = Math.max(0, Math.min(run.match?.start ?? run.heldFrom ?? position, position) - start);
    onText(held.slice(0, free));
    held = held.slice(free);
    return run.isDone;
  });
  if (!run.isDone) run.step(undefined, position, false);
  const { match } = run;
  if (match === undefined) {
    onText(held);
    return { closer: undefined, groups: {} };
  }
  const start = position - held.length;
  const before = match.start - start;
  onText(held.slice(0, before));
  const length = match.end - match.start;
  // The text after the closer was read to find its end.
  cursor.giveBack(held.length - before - length);
  const slots = match.slots.map(slot => (slot === undefined ? undefined : slot - match.start));
  const closer = held.slice(before, before + length);
  return { closer, groups: groupsOf(close, { ...match, slots }, closer) };
}

/** Reads a region of text or reasoning, without the white space around it. */
function* readText(cursor: TextCursor, calls: TextCalls, field: TemplateField): Reading<boolean> {
  calls.drop();
  if (field.kind === 'text') calls.startText(field.join);
  const write = field.kind === 'text' ? calls.text : calls.reasoning;
  const strips = field.args.strip !== false;
  let isBlank = strips;
  let space = '';
  yield* readUpToCloser(cursor, field, text => {
    const started = isBlank ? text.trimStart() : text;
    if (started === '') return;
    isBlank = false;
    const length = strips ? started.trimEnd().length : started.length;
    if (length > 0) write(space + started.slice(0, length));
    space = (length > 0 ? '' : space) + started.slice(length);
  });
  calls.drop();
  return true;
}

/** Reads a region of calls. The end of JSON counts more than a closer in one of its strings. */
function* readCalls(
  cursor: TextCursor,
  calls: TextCalls,
  { field, match }: Opening,
  start: string,
): Reading<boolean> {
  let body = '';
  let isWhole = false;
  if (field.content === 'json') {
    const scanner = new JsonScanner();
    yield* cursor.takeEach(() => {
      body += cursor.take(scanner.push(cursor.rest()));
      return scanner.state !== 'open';
    });
    isWhole = scanner.state === 'complete';
    if (scanner.state === 'open') return false;
  }
  const before = body;
  const { closer, groups } =
    isWhole && field.close === undefined
      ? { closer: '', groups: {} }
      : yield* readUpToCloser(cursor, field, text => void (body += text));
  const isClosed = closer !== undefined && (field.close !== undefined || isWhole);
  const mayBeUnclosed = isWhole
    ? body.trim() === before.trim()
    : field.content === 'xml-inline' && endsWithTag(body);
  if (!isClosed && !mayBeUnclosed) return false;
  const scope = { ...(field.open && groupsOf(field.open, match, start)), ...groups };
  const read = toTemplateCalls(field, body, scope);
  if (read === undefined || read.length === 0) return false;
  for (const call of read)
    if (!(yield* writeCall(cursor, calls, call, isClosed || isWhole ? isClosed : undefined))) return false;
  return true;
}

const endsWithTag = (text: string): boolean => text.trimEnd().endsWith('>');

/** Writes a call. `isClosed` is undefined if parameters may be missing. */
function* writeCall(
  cursor: TextCursor,
  calls: TextCalls,
  { name, json, values, isJson }: TemplateCall,
  isClosed: boolean | undefined,
): Reading<boolean> {
  const tool = calls.begin(name);
  if (values === undefined) {
    const input = toArguments(json ?? '{}', tool);
    if (input === undefined) return false;
    calls.input(input);
  } else {
    const writer = createArgumentWriter(tool, calls.input);
    for (const [key, text] of values) {
      const value = writer.open(key, isJson === true ? { isJson } : {});
      value.push(text);
      value.end();
    }
    if (isClosed === undefined && !(yield* endsUnclosed(cursor, tool, writer))) return false;
    writer.end();
  }
  calls.end({ isUnclosed: isClosed !== true });
  return true;
}
