import { isJsonObject, type JsonObject, toJsonObjects } from '../../src/testing/json-object.js';
import { type GoogleError, invalidArgument, toDeclarations } from './google.js';

/** The first thing the Gemini API would object to. */
export function validateGoogle(body: JsonObject, { model }: { model: string }): GoogleError | undefined {
  const contents = toJsonObjects(body.contents);
  if (contents.length === 0) {
    return invalidArgument('* GenerateContentRequest.contents: contents is not specified\n');
  }
  return checkNames(body) ?? checkTurns(contents) ?? checkSignatures(contents, { model });
}

function checkNames(body: JsonObject): GoogleError | undefined {
  const index = toDeclarations(body).findIndex(({ name }) => !/^[a-zA-Z_][\w.:-]{0,63}$/.test(String(name)));
  if (index < 0) return undefined;
  return invalidArgument(
    `* GenerateContentRequest.tools[0].function_declarations[${index}].name: [FIELD_INVALID] Invalid function name. ` +
      'Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.\n',
  );
}

/** Calls follow a user, and their results follow them, one for each. */
function checkTurns(contents: readonly JsonObject[]): GoogleError | undefined {
  for (const [index, content] of contents.entries()) {
    const before = contents[index - 1];
    const calls = partsOf(before, 'functionCall').length;
    const results = partsOf(content, 'functionResponse').length;
    if (partsOf(content, 'functionCall').length > 0 && (before === undefined || before.role === 'model')) {
      return invalidArgument(
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      );
    }
    if (results > 0 && calls === 0) {
      return invalidArgument(
        'Please ensure that function response turn comes immediately after a function call turn.',
      );
    }
    if (results !== calls) return differentCounts;
  }
  return partsOf(contents.at(-1), 'functionCall').length > 0 ? differentCounts : undefined;
}

const differentCounts = invalidArgument(
  'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
);

/** Gemini 3 wants the first call of each step of the present turn signed. */
function checkSignatures(
  contents: readonly JsonObject[],
  { model }: { model: string },
): GoogleError | undefined {
  if (!/^gemini-([3-9]|\d\d)/.test(model)) return undefined;
  const start = contents.findLastIndex(
    content => content.role === 'user' && partsOf(content, 'functionResponse').length === 0,
  );
  for (const [index, content] of contents.entries()) {
    const [call] = partsOf(content, 'functionCall');
    if (index < start || call === undefined || typeof call.thoughtSignature === 'string') continue;
    const { name } = isJsonObject(call.functionCall) ? call.functionCall : {};
    return invalidArgument(
      'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, ' +
        'and missing thought_signature may lead to degraded model performance. Additional data, function call ' +
        `\`default_api:${String(name)}\` , position ${index + 1}. Please refer to ` +
        'https://ai.google.dev/gemini-api/docs/thought-signatures for more details.',
    );
  }
  return undefined;
}

const partsOf = (content: JsonObject | undefined, kind: 'functionCall' | 'functionResponse'): JsonObject[] =>
  toJsonObjects(content?.parts).filter(part => isJsonObject(part[kind]));
