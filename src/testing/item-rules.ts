import type { PlainObject } from '../shared/json.js';
import { type ApiError, badRequest, missingParameter } from './api-errors.js';
import { validateTools } from './tool-validation.js';

/** The fields of one type of input item. */
export interface ItemRule {
  readonly fields: readonly string[];
  /** Prefix of an `id`. */
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
    ...(prefix !== undefined && { prefix }),
    ...(check && { check }),
  };
}

/** The input items of hosted tools and of the conversation itself, by their type. */
export const hostedItemRules: Readonly<Record<string, ItemRule>> = {
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

const searchFields: Readonly<Record<string, readonly string[]>> = {
  search: [],
  open_page: ['url'],
  find_in_page: ['url', 'pattern'],
};

function checkSearchAction({ action }: PlainObject, path: string): ApiError | undefined {
  const { type, ...fields } = action as PlainObject;
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
