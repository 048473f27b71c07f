import {
  isKnownChild,
  isTextElement,
  type Element,
  type ElementSyntax,
  readElement,
  readElementTag,
  toMemberJson,
} from '../tags/element-tree.js';
import { isPrototypeKey } from '../values/json-scanner.js';
import { toAllowedJson } from '../values/argument-writer.js';
import { toPropertySchema } from '../values/schema-types.js';
import { toTextJson } from '../values/text-json.js';
import { endsUnclosed } from '../tags/tagged-call.js';
import { findSpaceEnd, MAX_SPACE, type Reading, type TextCursor } from '../reading/text-cursor.js';
import type { DeclaredTool, TextCalls, TextToolFormat } from '../reading/text-tool-format.js';
import { readAttribute, takesSelfClosing } from './invoke.js';

/** The token before each tag. Tags in values have none, so values need no escapes. */
const TOKEN = ']<]minimax[>[';

/** Returns a tag after its token, as the model writes it, and as servers write it that put white space between them. */
const tag = (text: string): string[] => ['', '\n', ' '].map(space => `${TOKEN}${space}${text}`);

/**
 * `]<]minimax[>[<tool_call>`, then `]<]minimax[>[<invoke name="…">` for each call of MiniMax M3, with one element for
 * each argument. Objects and arrays are nested elements, or JSON.
 */
export const minimaxM3: TextToolFormat = {
  name: 'minimax-m3',
  openers: tag('<invoke name='),
  prefixes: tag('<tool_call>'),
  closers: [...tag('</tool_call>'), '[e~['],
  *read(cursor, calls) {
    const name = yield* readCallName(cursor, calls);
    if (name === undefined || name === '') return name === '';
    if (yield* readCall(cursor, calls, { name, token: TOKEN })) return true;
    // The rest of an invalid block is text, including its tokens.
    yield* takeBlock(cursor);
    return false;
  },
};

/** The same calls from a server that drops the tokens. Only parameters in the tool's schema are elements. */
export const bareMinimaxM3: TextToolFormat = {
  name: 'bare-minimax-m3',
  openers: ['<invoke name='],
  prefixes: ['<tool_call>'],
  closers: ['</tool_call>'],
  *accepts(cursor) {
    const header = yield* findTagEnd(cursor);
    const next = header === undefined ? 0 : yield* findSpaceEnd(cursor, { start: header });
    return (
      next > 0 &&
      (yield* cursor.peek(next)) === '<' &&
      !(yield* cursor.sees('<parameter', next)) &&
      !(yield* cursor.sees('</', next))
    );
  },
  *read(cursor, calls) {
    const name = yield* readCallName(cursor, calls);
    if (name === undefined || name === '') return name === '';
    return yield* readCall(cursor, calls, { name, token: '' });
  },
};

/** Tokens that remain in the text when a server reads the calls. */
export const minimaxM3Tokens: TextToolFormat = {
  name: 'minimax-m3-tokens',
  openers: [TOKEN],
  isMessageMarkup: true,
  *read(cursor, calls) {
    const isTag = (yield* cursor.peek()) === '<';
    if (isTag && !(yield* cursor.takes('</tool_call>'))) return false;
    calls.drop();
    return true;
  },
};

const MAX_HEADER = 160;

/** Returns the offset after the `>` of a tag with a name. */
function* findTagEnd(cursor: TextCursor): Reading<number | undefined> {
  const { length } = yield* cursor.look(/[^<>\n]/, { most: MAX_HEADER });
  return (yield* cursor.peek(length)) === '>' ? length + 1 : undefined;
}

/** Takes the rest of an opening tag. Returns an empty string for a call without arguments that closed itself. */
function* readCallName(cursor: TextCursor, calls: TextCalls): Reading<string | undefined> {
  const name = yield* readAttribute(cursor);
  yield* cursor.takeSpace(MAX_SPACE);
  if (name === '') return undefined;
  if (yield* takesSelfClosing(cursor, calls, name)) return '';
  return (yield* cursor.takes('>')) ? name : undefined;
}

/** Reads the arguments of a call, and its closing tag. */
function* readCall(
  cursor: TextCursor,
  calls: TextCalls,
  { name, token }: ElementSyntax & { name: string },
): Reading<boolean> {
  const tool = calls.begin(name);
  const parameters = createParameterWriter(tool, calls.input);
  for (;;) {
    yield* cursor.takeSpace();
    const tag = yield* readElementTag(cursor, { token });
    if (tag?.kind === 'close') {
      // The end of the list proves that nothing is missing. It is dropped after the call.
      if (tag.key !== 'invoke' && tag.key !== 'tool_call') return false;
      if (!parameters.end()) return false;
      if (tag.key === 'invoke') cursor.take(tag.length);
      calls.end();
      return true;
    }
    if (tag === undefined && token !== '' && (yield* endsUnclosed(cursor, tool, parameters))) {
      if (!parameters.end()) return false;
      calls.end({ isUnclosed: true });
      return true;
    }
    const isParameter = tag !== undefined && !isPrototypeKey(tag.key) && isKnown(tool, tag.key, token);
    if (!isParameter) return false;
    cursor.take(tag.length);
    if (!(yield* readParameter(cursor, tag.key, { tool, parameters, token }))) return false;
  }
}

const isKnown = (tool: DeclaredTool | undefined, key: string, token: string): boolean =>
  token !== '' || isKnownChild({ schema: tool?.schema, root: tool?.schema }, key);

function* readParameter(
  cursor: TextCursor,
  key: string,
  {
    tool,
    parameters,
    token,
  }: ElementSyntax & { tool: DeclaredTool | undefined; parameters: ParameterWriter },
): Reading<boolean> {
  const root = tool?.schema;
  const schema = toPropertySchema(root, root, key);
  const isNested = token !== '' && (yield* readElementTag(cursor, { token }))?.kind === 'open';
  if (isNested || !isTextElement({ schema, root })) {
    const element = yield* readElement(cursor, { key, token, schema, root });
    return element !== undefined && parameters.add(element);
  }
  const onText = parameters.openText(key);
  if (onText === undefined) return false;
  // The tag of the element again, without its token, is no part of the value unless its end is.
  const tag = `<${key}>`;
  const start = yield* findSpaceEnd(cursor);
  const isRepeated = token !== '' && (yield* cursor.sees(tag, start));
  let text = '';
  const push = isRepeated ? (plain: string) => void (text += plain) : onText;
  if ((yield* readElement(cursor, { key, token, schema, root, onText: push })) === undefined) return false;
  if (isRepeated) onText(text.includes(`</${key}>`) ? text : text.slice(start + tag.length));
  parameters.closeText();
  return true;
}

const TOKEN_START = /\]/g;

/** Takes the rest of a block of calls. */
function* takeBlock(cursor: TextCursor): Reading<void> {
  for (;;) {
    if ((yield* cursor.passUntil(TOKEN_START, () => {})) === undefined) return;
    const tag = yield* readElementTag(cursor, { token: TOKEN });
    cursor.take(tag?.length ?? 1);
    if (tag?.kind === 'close' && tag.key === 'tool_call') return;
  }
}

/** Writes the arguments of a call as JSON. */
interface ParameterWriter {
  /** The number of parameters that were written. */
  readonly size: number;
  /** Returns true if the parameter was written. */
  has(key: string): boolean;
  /** Adds an element. Elements with the same name that follow each other are an array. Returns false if it is invalid. */
  add(element: Element): boolean;
  /** Starts a string, and returns a function that writes its text. Returns undefined for a name that was used before. */
  openText(key: string): ((text: string) => void) | undefined;
  closeText(): void;
  /** Returns false if an argument is invalid. */
  end(): boolean;
}

function createParameterWriter(
  tool: DeclaredTool | undefined,
  write: (json: string) => void,
): ParameterWriter {
  const root = tool?.schema;
  const written = new Set<string>();
  /** The last elements, which have the same name. */
  let pending: Element[] = [];
  let key = '';
  /** The start of a string that may be null. */
  let held = '';
  let isOpen = false;

  function start(key: string): void {
    write(`${written.size === 0 ? '{' : ','}${JSON.stringify(key)}:`);
    written.add(key);
  }

  function writePending(): boolean {
    const [first] = pending;
    if (first === undefined) return true;
    const json = toMemberJson(pending, first.key, { schema: root, root });
    pending = [];
    if (json === undefined || written.has(first.key)) return false;
    start(first.key);
    write(toAllowedJson(json, toPropertySchema(root, root, first.key), root));
    return true;
  }

  function writeText(text: string): void {
    held += text;
    // A null and an empty string have no certain type before the value ends.
    if (held === '' || (!isOpen && 'null'.startsWith(held.toLowerCase()))) return;
    write(`${isOpen ? '' : '"'}${JSON.stringify(held).slice(1, -1)}`);
    isOpen = true;
    held = '';
  }

  return {
    get size() {
      return written.size + pending.length;
    },
    has: name => written.has(name) || pending[0]?.key === name,
    add(element) {
      if (pending[0] !== undefined && pending[0].key !== element.key && !writePending()) return false;
      pending.push(element);
      return !written.has(element.key);
    },
    openText(opened) {
      if (!writePending() || written.has(opened)) return undefined;
      key = opened;
      start(key);
      return writeText;
    },
    closeText() {
      write(isOpen ? '"' : toTextJson(held, { schema: toPropertySchema(root, root, key), root }));
      held = '';
      isOpen = false;
    },
    end() {
      if (!writePending()) return false;
      if (written.size > 0) write('}');
      return true;
    },
  };
}
