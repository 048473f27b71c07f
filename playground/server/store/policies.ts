import * as z from 'zod';
import type { ToolPolicy } from '../../shared/playground-state.js';
import type { Connection } from './sqlite.js';

/** Tools that run without a question: in one chat, or in all. */
export interface PolicyStore {
  list(): readonly ToolPolicy[];
  /** True if a policy allows this tool with this definition: one that its server has changed since is asked about again. */
  allows(call: ToolPolicy & { readonly conversationId: string }): boolean;
  add(policy: ToolPolicy): void;
  remove(policy: Pick<ToolPolicy, 'server' | 'tool' | 'conversationId'>): void;
}

const schema = z.array(
  z.object({
    server: z.string(),
    tool: z.string(),
    definition: z.string(),
    conversationId: z.string().optional(),
  }),
);

export function createPolicyStore(database: Connection): PolicyStore {
  const select = database.prepare<[], { value: string }>(
    "SELECT value FROM settings WHERE name = 'policies'",
  );
  const replace = database.prepare("INSERT OR REPLACE INTO settings (name, value) VALUES ('policies', ?)");
  const read = (): readonly ToolPolicy[] => {
    try {
      return schema.safeParse(JSON.parse(select.get()?.value ?? '[]')).data ?? [];
    } catch {
      return [];
    }
  };
  const isSame =
    (one: Pick<ToolPolicy, 'server' | 'tool' | 'conversationId'>) =>
    (other: ToolPolicy): boolean =>
      one.server === other.server && one.tool === other.tool && one.conversationId === other.conversationId;
  const write = (policies: readonly ToolPolicy[]): void => void replace.run(JSON.stringify(policies));
  return {
    list: read,
    allows: ({ server, tool, definition, conversationId }) =>
      read().some(
        policy =>
          policy.server === server &&
          policy.tool === tool &&
          policy.definition === definition &&
          (policy.conversationId ?? conversationId) === conversationId,
      ),
    add: policy => write([...read().filter(other => !isSame(policy)(other)), policy]),
    remove: policy => write(read().filter(other => !isSame(policy)(other))),
  };
}
