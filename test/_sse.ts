export interface WireEvent extends Record<string, unknown> {
  readonly type: string;
}

export interface Framing {
  /** Position of the `event:` line relative to the data. @default 'before' */
  readonly eventLine?: 'before' | 'after' | 'none';
  /** Ends the stream with `data: [DONE]`. @default false */
  readonly doneMarker?: boolean;
  /** Includes the `type` in the data. @default true */
  readonly typeInData?: boolean;
  /** A comment line before each event. */
  readonly comment?: string;
}

/** Encodes events as the body of an event stream, with the framing of the API by default. */
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
