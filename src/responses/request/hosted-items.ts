/** Calls of tools that are no functions, and what the host gave for them. Field names are the wire's own. */
export type HostedItem = HostedCall | HostedCallOutput;

export type HostedCall =
  LocalShellCall | ShellCall | ApplyPatchCall | ComputerCall | CustomToolCall | McpApprovalRequest;

export type HostedCallOutput =
  LocalShellCallOutput | ShellCallOutput | ApplyPatchCallOutput | ComputerCallOutput | McpApprovalResponse;

export interface LocalShellCall {
  type: 'local_shell_call';
  call_id: string;
  id?: string;
  action: {
    type: 'exec';
    command: string[];
    timeout_ms?: number;
    user?: string;
    working_directory?: string;
    env?: Record<string, string>;
  };
}

export interface LocalShellCallOutput {
  type: 'local_shell_call_output';
  call_id: string;
  output: string;
}

export interface ShellCall {
  type: 'shell_call';
  call_id: string;
  id?: string;
  status: 'completed';
  action: { commands: string[]; timeout_ms?: number; max_output_length?: number };
}

export interface ShellCallOutput {
  type: 'shell_call_output';
  call_id: string;
  output: Array<{
    stdout: string;
    stderr: string;
    outcome: { type: 'timeout' } | { type: 'exit'; exit_code: number };
  }>;
}

export interface ApplyPatchCall {
  type: 'apply_patch_call';
  call_id: string;
  id?: string;
  status: 'completed';
  /** `create_file`, `update_file` or `delete_file`, with its path and diff. */
  operation: { type: string; [field: string]: unknown };
}

export interface ApplyPatchCallOutput {
  type: 'apply_patch_call_output';
  call_id: string;
  status: 'completed' | 'failed';
  output?: string;
}

export interface ComputerCall {
  type: 'computer_call';
  call_id: string;
  id?: string;
  status: 'completed';
  action?: object;
  actions?: object[];
  pending_safety_checks: object[];
}

export interface ComputerCallOutput {
  type: 'computer_call_output';
  call_id: string;
  output: { type: 'computer_screenshot'; image_url?: string; file_id?: string; detail?: string };
  acknowledged_safety_checks?: object[];
}

export interface CustomToolCall {
  type: 'custom_tool_call';
  call_id: string;
  id?: string;
  name: string;
  /** Free text, or what the tool's grammar allows. */
  input: string;
}

export interface McpApprovalRequest {
  type: 'mcp_approval_request';
  id: string;
  server_label: string;
  name: string;
  /** JSON of an object. */
  arguments: string;
}

export interface McpApprovalResponse {
  type: 'mcp_approval_response';
  approval_request_id: string;
  approve: boolean;
  reason?: string;
}
