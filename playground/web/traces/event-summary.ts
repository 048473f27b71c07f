/** Summarizes a stream event in one line: its text, or its subject. */
export function summarizeEvent(data: unknown): string {
  if (typeof data === 'string') return data;
  if (!isRecord(data)) return '';
  const { delta, text, item, response, error, message, part } = data;
  if (typeof delta === 'string') return JSON.stringify(delta);
  if (isRecord(item)) return describeItem(item);
  if (isRecord(response)) return describeResponse(response);
  if (isRecord(error) && typeof error.message === 'string') return error.message;
  for (const value of [data.arguments, text, message]) if (typeof value === 'string') return value;
  const sdk = describeSdkPart(data);
  if (sdk !== undefined) return sdk;
  return isRecord(part) && typeof part.type === 'string' ? part.type : '';
}

/** Summarizes an output item in one line. */
export function describeItem({ type, name, arguments: input, status }: Record<string, unknown>): string {
  const call = [name, input].filter(value => typeof value === 'string' && value !== '').join(' ');
  return [type, call || status].filter(value => typeof value === 'string').join(' · ');
}

/** Summarizes a part of the AI SDK, which applications send. */
function describeSdkPart(part: Record<string, unknown>): string | undefined {
  switch (part.type) {
    case 'tool-call':
      return `${String(part.toolName)} ${toLine(part.input)}`;
    case 'tool-result':
      return `${String(part.toolName)} ${toLine(part.result)}`;
    case 'response-metadata':
      return [part.modelId, part.id].filter(value => typeof value === 'string').join(' · ');
    case 'finish':
      return describeFinish(part);
    default:
      return undefined;
  }
}

/** The counts are objects since version 6 of `ai`. */
function describeFinish({ finishReason, usage }: Record<string, unknown>): string {
  const reason = isRecord(finishReason) ? finishReason.unified : finishReason;
  const read = (count: unknown): unknown => (isRecord(count) ? count.total : count);
  const counts = isRecord(usage) ? [read(usage.inputTokens), read(usage.outputTokens)] : [];
  const isKnown = counts.length > 0 && counts.every(count => typeof count === 'number');
  return [String(reason), ...(isKnown ? [`${counts[0]} in, ${counts[1]} out`] : [])].join(' · ');
}

const toLine = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

function describeResponse({ status, usage, error }: Record<string, unknown>): string {
  if (isRecord(error) && typeof error.message === 'string') return error.message;
  const tokens = isRecord(usage) ? `${usage.input_tokens} in, ${usage.output_tokens} out` : undefined;
  return [status, tokens].filter(value => typeof value === 'string').join(' · ');
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
