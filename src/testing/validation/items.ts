import { isPlainObject, type PlainObject } from '../../core/shared/json.js';
import {
  type ApiError,
  badRequest,
  findFirst,
  invalidType,
  invalidValue,
  missingParameter,
  unknownParameter,
} from '../protocol/wire.js';
import { toItemType } from '../protocol/request.js';
import { tooLong, validateName, validateTools } from './tools.js';

/** Returns the error for the first invalid input item: an unknown or missing field, or an id of the wrong kind. */
export function validateItems(input: unknown): ApiError | undefined {
  if (!Array.isArray(input)) return undefined;
  const trigger = input.findIndex(item => isPlainObject(item) && item.type === 'compaction_trigger');
  if (trigger >= 0 && trigger < input.length - 1) {
    return badRequest('`compaction_trigger` must be the last input item.', { param: `input[${trigger}]` });
  }
  return findFirst(input, (item, index) => validateItem(item, `input[${index}]`));
}

interface ItemRule {
  readonly fields: readonly string[];
  readonly prefix?: string;
  readonly required: readonly string[];
  readonly check?: (item: PlainObject, path: string) => ApiError | undefined;
}

/** Creates a rule from the names of fields; required ones end with `!`. Every item may have `type` and `id`. */
function rule(names: string, { prefix, check }: Pick<ItemRule, 'prefix' | 'check'> = {}): ItemRule {
  const fields = names.split(' ').filter(Boolean);
  return {
    fields: ['type', 'id', ...fields.map(name => name.replace('!', ''))],
    required: fields.filter(name => name.endsWith('!')).map(name => name.slice(0, -1)),
    prefix,
    check,
  };
}

/** The input items by their type. */
const rules: Readonly<Record<string, ItemRule>> = {
  message: rule('role content! status phase', { prefix: 'msg', check: checkMessage }),
  reasoning: rule('summary! content encrypted_content status', { prefix: 'rs' }),
  function_call: rule('call_id! name! arguments! status namespace async caller', {
    prefix: 'fc',
    check: checkFunctionCall,
  }),
  function_call_output: rule('call_id! output! status caller name namespace', {
    check: checkFunctionCallOutput,
  }),
  item_reference: { fields: ['type', 'id'], required: ['id'] },
  additional_tools: rule('role! tools!', {
    check: (item, path) => validateTools(item.tools, `${path}.tools`),
  }),
  apply_patch_call: rule('call_id! operation! status! caller'),
  apply_patch_call_output: rule('call_id! status! output caller'),
  code_interpreter_call: rule('code container_id! outputs status!'),
  compaction: rule('encrypted_content!', { prefix: 'cmp' }),
  compaction_trigger: rule(''),
  computer_call: rule('call_id! pending_safety_checks! status! action actions', { prefix: 'cu' }),
  computer_call_output: rule('call_id! output! acknowledged_safety_checks status'),
  configuration_update: rule('reasoning text'),
  custom_tool_call: rule('call_id! name! input! async caller namespace status', { prefix: 'ctc' }),
  custom_tool_call_output: rule('call_id! output! caller status'),
  file_search_call: rule('queries! status! results', { prefix: 'fs' }),
  image_generation_call: rule(
    'status! result action background error output_format quality revised_prompt size svg_usage',
    { prefix: 'ig' },
  ),
  local_shell_call: rule('call_id! action! status!'),
  local_shell_call_output: rule('call_id output! status'),
  mcp_approval_request: rule('server_label! name! arguments!', { prefix: 'mcpr' }),
  mcp_approval_response: rule('approval_request_id! approve! reason'),
  mcp_call: rule('server_label! name! arguments! approval_request_id error output status', { prefix: 'mcp' }),
  mcp_list_tools: rule('server_label! tools! error', { prefix: 'mcpl' }),
  program: rule('call_id! code! fingerprint!'),
  program_output: rule('call_id! result! status!'),
  shell_call: rule('call_id! action! environment caller status'),
  shell_call_output: rule('call_id! output! max_output_length caller status'),
  tool_search_call: rule('arguments! call_id execution status'),
  tool_search_output: rule('tools! call_id execution status', {
    check: (item, path) => validateTools(item.tools, `${path}.tools`),
  }),
  web_search_call: rule('action! status!', { prefix: 'ws', check: checkSearchAction }),
  // Beta, https://platform.openai.com/docs/guides: their fields are not documented.
  agent_message: { fields: [], required: [] },
  multi_agent_call: { fields: [], required: [] },
  multi_agent_call_output: { fields: [], required: [] },
};

const inputContent = ['input_text', 'input_image', 'input_file'];
const contentTypes: Readonly<Record<string, readonly string[]>> = {
  assistant: ['output_text', 'refusal'],
  system: inputContent,
  developer: inputContent,
  user: inputContent,
};

function validateItem(item: unknown, path: string): ApiError | undefined {
  if (!isPlainObject(item)) return invalidType(path, { expected: 'an object', value: item });
  const type = toItemType(item);
  const rule = Object.hasOwn(rules, type) ? rules[type] : undefined;
  if (rule === undefined) return invalidValue(path, { value: type, supported: Object.keys(rules).sort() });
  if (rule.fields.length === 0) return undefined;
  const unknown = Object.keys(item).find(field => !rule.fields.includes(field));
  if (unknown !== undefined) return unknownParameter(`${path}.${unknown}`);
  const missing = rule.required.find(field => item[field] === undefined || item[field] === null);
  if (missing !== undefined) return missingParameter(`${path}.${missing}`);
  return checkId(item.id, `${path}.id`, rule.prefix) ?? rule.check?.(item, path);
}

function checkId(id: unknown, path: string, prefix = ''): ApiError | undefined {
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

const invalidId = (path: string, options: { id: string; expected: string }): ApiError =>
  badRequest(`Invalid '${path}': '${options.id}'. ${options.expected}`, {
    param: path,
    code: 'invalid_value',
  });

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
  options: { path: string; supported: readonly string[] },
): ApiError | undefined {
  if (typeof content === 'string') return undefined;
  if (!Array.isArray(content)) {
    return invalidType(options.path, { expected: 'one of an array of objects or string', value: content });
  }
  return findFirst(content, (part, index) =>
    checkPart(part, { path: `${options.path}[${index}]`, supported: options.supported }),
  );
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

const searchFields: Readonly<Record<string, readonly string[]>> = {
  search: [],
  open_page: ['url'],
  find_in_page: ['url', 'pattern'],
};

function checkSearchAction(value: PlainObject, path: string): ApiError | undefined {
  const { type, ...fields } = value.action as PlainObject;
  const required = searchFields[String(type)];
  if (required === undefined) {
    return badRequest(
      `Invalid value: '${String(type)}'. Supported values are: 'search', 'open_page', and 'find_in_page'.`,
      {
        param: `${path}.action.type`,
        code: 'invalid_value',
      },
    );
  }
  const missing = required.find(name => typeof fields[name] !== 'string');
  return missing === undefined ? undefined : missingParameter(`${path}.action.${missing}`);
}
