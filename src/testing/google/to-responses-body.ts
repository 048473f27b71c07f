import { isJsonObject, type JsonObject, toJsonObjects } from '../json-object.js';

/** A request of the Gemini API in the words of the Responses API, which is what the emulator's model reads. */
export function toResponsesBody(
  body: JsonObject,
  { model, stream }: { model: string; stream: boolean },
): JsonObject {
  const settings = toObject(body.generationConfig);
  return {
    model,
    stream,
    instructions: toText(toObject(body.systemInstruction).parts),
    input: toItems(toJsonObjects(body.contents)),
    tools: toDeclarations(body).map(toTool),
    tool_choice: toToolChoice(toObject(toObject(body.toolConfig).functionCallingConfig)),
    text: toFormat(settings),
    max_output_tokens: settings.maxOutputTokens,
    ...(toObject(settings.thinkingConfig).includeThoughts === true && { reasoning: { summary: 'auto' } }),
  };
}

/** The functions of a request. */
export const toDeclarations = ({ tools }: JsonObject): JsonObject[] =>
  toJsonObjects(tools).flatMap(tool => toJsonObjects(tool.functionDeclarations));

/** Calls have no ids here, or need none: a result belongs to the first open call of its name. */
function toItems(contents: readonly JsonObject[]): JsonObject[] {
  const open: { id: string; name: unknown }[] = [];
  let count = 0;
  const toItem = (part: JsonObject, role: string): JsonObject => {
    if (isJsonObject(part.functionCall)) {
      const { name, args = {} } = part.functionCall;
      const id = `call_${count++}`;
      open.push({ id, name });
      return { type: 'function_call', call_id: id, name, arguments: JSON.stringify(args) };
    }
    if (isJsonObject(part.functionResponse)) {
      const { name, response } = part.functionResponse;
      const at = open.findIndex(call => call.name === name);
      const [call] = at < 0 ? [] : open.splice(at, 1);
      return { type: 'function_call_output', call_id: call?.id, output: toOutput(response) };
    }
    return { type: 'message', role, content: [toContentPart(part)] };
  };
  return contents.flatMap(({ role, parts }) => {
    const items = toJsonObjects(parts)
      .filter(part => part.thought !== true)
      .map(part => toItem(part, role === 'model' ? 'assistant' : 'user'));
    return joinMessages(items);
  });
}

/** The parts of one turn are one message. */
function joinMessages(items: readonly JsonObject[]): JsonObject[] {
  const joined: JsonObject[] = [];
  for (const item of items) {
    const last = joined.at(-1);
    if (item.type === 'message' && last?.type === 'message') {
      joined.pop();
      joined.push({ ...last, content: [...toJsonObjects(last.content), ...toJsonObjects(item.content)] });
    } else {
      joined.push(item);
    }
  }
  return joined;
}

function toContentPart({ text, inlineData, fileData }: JsonObject): JsonObject {
  if (isJsonObject(inlineData)) {
    const url = `data:${String(inlineData.mimeType)};base64,${String(inlineData.data)}`;
    return toMedia(url, inlineData.mimeType);
  }
  if (isJsonObject(fileData)) return toMedia(String(fileData.fileUri), fileData.mimeType);
  return { type: 'input_text', text };
}

const toMedia = (url: string, mediaType: unknown): JsonObject =>
  String(mediaType).startsWith('image/')
    ? { type: 'input_image', image_url: url }
    : { type: 'input_file', file_data: url };

/** What a function answered, out of the field that clients put it in. */
function toOutput(response: unknown): string {
  const { content, output, result } = toObject(response);
  const value = content ?? output ?? result ?? response;
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

const toTool = ({ name, description, parameters, parametersJsonSchema }: JsonObject): JsonObject => ({
  type: 'function',
  name,
  description,
  parameters: parametersJsonSchema ?? toJsonSchema(parameters),
});

/** OpenAPI's types in capitals are JSON Schema's. */
function toJsonSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toJsonSchema);
  if (!isJsonObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === 'type' && typeof value === 'string' ? value.toLowerCase() : toJsonSchema(value),
    ]),
  );
}

function toToolChoice({ mode, allowedFunctionNames: names }: JsonObject): unknown {
  if (mode === 'NONE') return 'none';
  if (Array.isArray(names)) {
    return {
      type: 'allowed_tools',
      mode: mode === 'ANY' ? 'required' : 'auto',
      tools: names.map(name => ({ type: 'function', name: String(name) })),
    };
  }
  return mode === 'ANY' ? 'required' : 'auto';
}

function toFormat({
  responseMimeType,
  responseSchema,
  responseJsonSchema,
}: JsonObject): JsonObject | undefined {
  if (responseMimeType !== 'application/json') return undefined;
  const schema = responseJsonSchema ?? toJsonSchema(responseSchema);
  return { format: schema === undefined ? { type: 'json_object' } : { type: 'json_schema', schema } };
}

const toText = (parts: unknown): string | undefined =>
  toJsonObjects(parts)
    .map(({ text }) => String(text))
    .join('\n') || undefined;

const toObject = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
