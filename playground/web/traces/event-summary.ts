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
  return isRecord(part) && typeof part.type === 'string' ? part.type : '';
}

/** Summarizes an output item in one line. */
export function describeItem({ type, name, arguments: input, status }: Record<string, unknown>): string {
  const call = [name, input].filter(value => typeof value === 'string' && value !== '').join(' ');
  return [type, call || status].filter(value => typeof value === 'string').join(' · ');
}

function describeResponse({ status, usage, error }: Record<string, unknown>): string {
  if (isRecord(error) && typeof error.message === 'string') return error.message;
  const tokens = isRecord(usage) ? `${usage.input_tokens} in, ${usage.output_tokens} out` : undefined;
  return [status, tokens].filter(value => typeof value === 'string').join(' · ');
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
