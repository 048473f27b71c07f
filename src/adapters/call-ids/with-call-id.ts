type ToId = (id: string) => string;

/** A part of a prompt or of an answer, with the id of its tool call replaced. */
export function withCallId<Part extends { type: string }>(part: Part, toId: ToId): Part {
  // Streamed input has the id of its call in `id`; all others, those of later interfaces too, in `toolCallId`.
  if (part.type.startsWith('tool-input-')) return withField(part, 'id', toId);
  return withField(part, 'toolCallId', toId);
}

function withField<Part extends object>(part: Part, field: string, toId: ToId): Part {
  const id: unknown = Object(part)[field];
  if (typeof id !== 'string') return part;
  const replaced = toId(id);
  return replaced === id ? part : { ...part, [field]: replaced };
}
