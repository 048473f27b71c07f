import {
  type ApiError,
  badRequest,
  invalidType,
  invalidValue,
  missingParameter,
  unknownParameter,
} from './api-errors.js';
import { isPlainObject, type PlainObject } from '../shared/json.js';
import { hostedItemRules, type ItemRule } from './item-rules.js';
import { toItemType } from './request.js';
import { tooLong, validateName } from './tool-validation.js';

/** Returns the error for the first invalid input item: an unknown or missing field, or an id of the wrong kind. */
export function validateItems(input: unknown): ApiError | undefined {
  if (!Array.isArray(input)) return undefined;
  const trigger = input.findIndex(item => isPlainObject(item) && item.type === 'compaction_trigger');
  if (trigger >= 0 && trigger < input.length - 1) {
    return badRequest('`compaction_trigger` must be the last input item.', { param: `input[${trigger}]` });
  }
  for (const [index, item] of input.entries()) {
    const error = validateItem(item, { path: `input[${index}]` });
    if (error !== undefined) return error;
  }
  return undefined;
}

const rules: Readonly<Record<string, ItemRule>> = {
  message: {
    fields: ['type', 'id', 'role', 'content', 'status', 'phase'],
    prefix: 'msg',
    required: ['content'],
    check: checkMessage,
  },
  reasoning: {
    fields: ['type', 'id', 'summary', 'content', 'encrypted_content', 'status'],
    prefix: 'rs',
    required: ['summary'],
  },
  function_call: {
    fields: ['type', 'id', 'call_id', 'name', 'arguments', 'status', 'namespace', 'async', 'caller'],
    prefix: 'fc',
    required: ['call_id', 'name', 'arguments'],
    check: checkFunctionCall,
  },
  function_call_output: {
    fields: ['type', 'id', 'call_id', 'output', 'status', 'caller', 'name', 'namespace'],
    required: ['call_id', 'output'],
    check: checkFunctionCallOutput,
  },
  item_reference: { fields: ['type', 'id'], required: ['id'] },
  ...hostedItemRules,
};

const inputContent = ['input_text', 'input_image', 'input_file'];
const contentTypes: Readonly<Record<string, readonly string[]>> = {
  assistant: ['output_text', 'refusal'],
  system: inputContent,
  developer: inputContent,
  user: inputContent,
};

function validateItem(item: unknown, { path }: { path: string }): ApiError | undefined {
  if (!isPlainObject(item)) return invalidType(path, { expected: 'an object', value: item });
  const type = toItemType(item);
  const rule = Object.hasOwn(rules, type) ? rules[type] : undefined;
  if (rule === undefined) return invalidValue(path, { value: type, supported: Object.keys(rules).sort() });
  if (rule.fields.length === 0) return undefined;
  const unknown = Object.keys(item).find(field => !rule.fields.includes(field));
  if (unknown !== undefined) return unknownParameter(`${path}.${unknown}`);
  const missing = rule.required.find(field => item[field] === undefined || item[field] === null);
  if (missing !== undefined) return missingParameter(`${path}.${missing}`);
  return checkId(item.id, { path: `${path}.id`, prefix: rule.prefix }) ?? rule.check?.(item, path);
}

function checkId(
  id: unknown,
  { path, prefix = '' }: { path: string; prefix?: string },
): ApiError | undefined {
  if (id === undefined || id === null) return undefined;
  if (typeof id !== 'string') return invalidType(path, { expected: 'a string', value: id });
  if (id.length > 64) return tooLong(path, { length: id.length });
  if (!/^[\w-]*$/.test(id)) return invalidId(path, { id, expected: charactersOfId });
  if (id === '' || !id.startsWith(prefix)) {
    return invalidId(path, { id, expected: `Expected an ID that begins with '${prefix}'.` });
  }
  return undefined;
}

const charactersOfId =
  'Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.';

const invalidId = (path: string, { id, expected }: { id: string; expected: string }): ApiError =>
  badRequest(`Invalid '${path}': '${id}'. ${expected}`, { param: path, code: 'invalid_value' });

function checkMessage(message: PlainObject, path: string): ApiError | undefined {
  const role = String(message.role);
  const supported = Object.hasOwn(contentTypes, role) ? contentTypes[role] : undefined;
  if (supported === undefined) {
    return invalidValue(`${path}.role`, { value: role, supported: Object.keys(contentTypes) });
  }
  return checkContent(message.content, { path: `${path}.content`, supported });
}

function checkFunctionCall(call: PlainObject, path: string): ApiError | undefined {
  if (typeof call.arguments !== 'string') {
    return invalidType(`${path}.arguments`, { expected: 'a string', value: call.arguments });
  }
  return checkCallId(call.call_id, `${path}.call_id`) ?? validateName(call.name, { path: `${path}.name` });
}

function checkFunctionCallOutput(output: PlainObject, path: string): ApiError | undefined {
  return (
    checkCallId(output.call_id, `${path}.call_id`) ??
    checkContent(output.output, { path: `${path}.output`, supported: inputContent })
  );
}

function checkCallId(callId: unknown, path: string): ApiError | undefined {
  if (typeof callId !== 'string') return invalidType(path, { expected: 'a string', value: callId });
  if (callId.length > 64) return tooLong(path, { length: callId.length });
  if (callId !== '') return undefined;
  return badRequest(
    `Invalid '${path}': empty string. Expected a string with minimum length 1, but got an empty string instead.`,
    { param: path, code: 'empty_string' },
  );
}

function checkContent(
  content: unknown,
  { path, supported }: { path: string; supported: readonly string[] },
): ApiError | undefined {
  if (typeof content === 'string') return undefined;
  if (!Array.isArray(content)) {
    return invalidType(path, { expected: 'one of an array of objects or string', value: content });
  }
  for (const [index, part] of content.entries()) {
    const error = checkPart(part, { path: `${path}[${index}]`, supported });
    if (error !== undefined) return error;
  }
  return undefined;
}

function checkPart(
  part: unknown,
  { path, supported }: { path: string; supported: readonly string[] },
): ApiError | undefined {
  if (!isPlainObject(part)) return invalidType(path, { expected: 'an object', value: part });
  const type = String(part.type);
  if (!supported.includes(type)) return invalidValue(path, { value: type, supported });
  const field = type === 'refusal' ? 'refusal' : 'text';
  if (type.endsWith('_text') || type === 'refusal') {
    return typeof part[field] === 'string' ? undefined : missingParameter(`${path}.${field}`);
  }
  if (type === 'input_image' && part.file_id === undefined && !isImageUrl(part.image_url)) {
    return badRequest(
      `Invalid '${path}.image_url'. Expected a valid URL, but got a value with an invalid format.`,
      { param: `${path}.image_url`, code: 'invalid_value' },
    );
  }
  return undefined;
}

const isImageUrl = (url: unknown): boolean =>
  typeof url === 'string' && /^(https?:\/\/\S+|data:image\/[\w.+-]+;base64,[\w+/=]+)$/.test(url);
