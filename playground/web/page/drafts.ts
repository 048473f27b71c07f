const KEY = 'kelivo-playground-drafts';

export const newId = (): string => crypto.randomUUID();

/**
 * The new chats of this tab, which the server has no message of yet. Any other unknown id in the address is an error of the
 * address.
 */
const drafts = new Set<string>(JSON.parse(sessionStorage.getItem(KEY) ?? '[]') as string[]);

/** Returns the id of a new chat. */
export function createDraft(): string {
  const id = newId();
  drafts.add(id);
  sessionStorage.setItem(KEY, JSON.stringify([...drafts].slice(-50)));
  return id;
}

export const isDraft = (conversationId: string): boolean => drafts.has(conversationId);
