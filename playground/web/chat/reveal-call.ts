/** Opens the tool call of the conversation with its result, and moves the focus to it. */
export function revealCall(toolCallId: string): void {
  const part = findCall(toolCallId);
  if (part === undefined) return;
  part.open = true;
  const group = part.parentElement?.closest('details');
  if (group) group.open = true;
  focusCall(toolCallId);
}

/** Moves the focus to a tool call of the conversation, or to its closed group. */
export function focusCall(toolCallId: string): void {
  const part = findCall(toolCallId);
  const group = part?.parentElement?.closest<HTMLDetailsElement>('details:not([open])');
  (group ?? part)?.querySelector('summary')?.focus();
}

function findCall(toolCallId: string): HTMLDetailsElement | undefined {
  const part = document.getElementById(`tool-${toolCallId}`);
  return part instanceof HTMLDetailsElement ? part : undefined;
}
