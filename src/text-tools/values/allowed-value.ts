import { allowsAny, toAllowedJson } from '../../tool-calls/schema-repair.js';

export { allowsAny, toAllowedJson };

/** Writes the JSON of one value as its schema requires. */
export interface AllowedValue {
  write(json: string): void;
  end(): void;
}

/** Streams a string if the schema allows any. Buffers other values, and converts them when they are complete. */
export function createAllowedValue(
  write: (json: string) => void,
  schema: unknown,
  root: unknown,
): AllowedValue {
  let buffer = '';
  let streams: boolean | undefined = schema === undefined ? true : undefined;
  return {
    write(json) {
      if (json === '') return;
      streams ??= json.startsWith('"') && allowsAny('', schema, root);
      if (streams) write(json);
      else buffer += json;
    },
    end() {
      if (buffer !== '') write(toAllowedJson(buffer, schema, root));
    },
  };
}
