import { isJsonObject, type JsonObject, toJsonObjects } from '../json-object.js';

/** A chat request in the words of the Responses API, which is what the emulator's model reads. */
export function toResponsesBody(body: JsonObject): JsonObject {
  return {
    model: body.model,
    input: toJsonObjects(body.messages).flatMap(toItems),
    tools: toJsonObjects(body.tools).map(toTool),
    tool_choice: toToolChoice(body.tool_choice),
    parallel_tool_calls: body.parallel_tool_calls,
    stream: body.stream,
    text: toText(body.response_format),
    reasoning: { effort: body.reasoning_effort },
    max_output_tokens: body.max_completion_tokens ?? body.max_tokens,
  };
}

function toItems(message: JsonObject): JsonObject[] {
  const { role, content, tool_calls: calls, tool_call_id: callId } = message;
  if (role === 'tool') {
    return [{ type: 'function_call_output', call_id: callId, output: toContent(content) }];
  }
  const isSilent = content === undefined || content === null || content === '';
  const said = isSilent ? [] : [{ type: 'message', role, content: toContent(content) }];
  return [...said, ...toJsonObjects(calls).map(toCallItem)];
}

function toCallItem({ id, function: called }: JsonObject): JsonObject {
  const { name, arguments: input } = isJsonObject(called) ? called : {};
  return { type: 'function_call', call_id: id, name, arguments: input };
}

function toContent(content: unknown): unknown {
  return Array.isArray(content) ? content.filter(isJsonObject).map(toPart) : content;
}

function toPart(part: JsonObject): JsonObject {
  const { type, image_url: image, file } = part;
  if (type === 'image_url') {
    return { type: 'input_image', image_url: isJsonObject(image) ? image.url : image };
  }
  if (type === 'file' && isJsonObject(file)) return { ...file, type: 'input_file' };
  return part;
}

function toTool({ type, function: declared }: JsonObject): JsonObject {
  return { type, ...(isJsonObject(declared) ? declared : {}) };
}

function toToolChoice(choice: unknown): unknown {
  if (choice === 'any') return 'required'; // as Mistral calls it
  if (!isJsonObject(choice) || !isJsonObject(choice.function)) return choice;
  return { type: 'function', name: choice.function.name };
}

function toText(format: unknown): JsonObject | undefined {
  if (!isJsonObject(format)) return undefined;
  const { type, json_schema: schema } = format;
  return { format: { type, ...(isJsonObject(schema) ? schema : {}) } };
}
