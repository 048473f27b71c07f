import type { DeclaredTool } from './declared-tools.js';
import { createEntityDecoder } from './entity-decoder.js';
import { toProperties, toValueTypes, type ValueType } from './schema-types.js';
import type { TextCalls } from './text-tool-format.js';
import { createValueWriter, type ValueWriter } from './value-writer.js';

/** Writes the arguments of a call, one parameter after the other, as JSON that streams. */
export interface ArgumentWriter {
  /** Whether the schema of the tool has this parameter. Without a list of parameters it has any. */
  knows(key: string): boolean;
  /** Whether it was written already. */
  has(key: string): boolean;
  /** Begins a parameter. Its value is JSON where the text says so, otherwise of the types of its schema. */
  open(key: string, options?: { isJson?: boolean | undefined }): ValueWriter;
  end(): void;
}

export function createArgumentWriter(
  tool: DeclaredTool | undefined,
  { write, trims, hasEntities }: { write: TextCalls['input']; trims: boolean; hasEntities: boolean },
): ArgumentWriter {
  const properties = toProperties(tool?.schema);
  const written = new Set<string>();

  function typesOf(key: string, isJson: boolean | undefined): readonly ValueType[] {
    if (isJson === false) return ['text'];
    const types = properties === undefined ? ['text' as const] : toValueTypes(properties[key], tool?.schema);
    return isJson === true ? JSON_TYPES : types;
  }

  return {
    knows: key => properties === undefined || Object.hasOwn(properties, key),
    has: key => written.has(key),
    open(key, { isJson } = {}) {
      write(`${written.size === 0 ? '{' : ','}${JSON.stringify(key)}:`);
      written.add(key);
      const value = createValueWriter(write, { types: typesOf(key, isJson), trims });
      return hasEntities ? createEntityDecoder(value) : value;
    },
    end() {
      if (written.size > 0) write('}');
    },
  };
}

const JSON_TYPES: readonly ValueType[] = ['null', 'boolean', 'number', 'object', 'array', 'quoted', 'text'];
