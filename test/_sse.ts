export interface WireEvent extends Record<string, unknown> {
  readonly type: string;
}

export interface Framing {
  /** Where the `event:` line stands. @default 'before' */
  readonly eventLine?: 'before' | 'after' | 'none';
  /** Ends the stream with `data: [DONE]`. @default false */
  readonly doneMarker?: boolean;
  /** Whether the data has its `type`, too. @default true */
  readonly typeInData?: boolean;
  /** A comment line before each event. */
  readonly comment?: string;
}

/** The body of an event stream, framed as the API frames it unless told otherwise. */
export function toSse(
  events: readonly Record<string, unknown>[],
  { eventLine = 'before', doneMarker = false, typeInData = true, comment }: Framing = {},
): string {
  const frames = events.map(event => {
    const { type, ...untyped } = event;
    const data = `data: ${JSON.stringify(typeInData ? event : untyped)}`;
    const name = `event: ${String(type)}`;
    const lines = { before: [name, data], after: [data, name], none: [data] }[eventLine];
    return [...(comment === undefined ? [] : [`: ${comment}`, '']), ...lines].join('\n');
  });
  if (doneMarker) frames.push('data: [DONE]');
  return frames.map(frame => `${frame}\n\n`).join('');
}
