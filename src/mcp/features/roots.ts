import type { Root } from '@modelcontextprotocol/client';

/** Converts the roots of a configuration to those of the protocol. */
export const toRoots = (roots: readonly string[]): Root[] => roots.map(root => ({ uri: toFileUri(root) }));

/** Returns the URI of an absolute path of any platform. A file URI is returned as it is. */
function toFileUri(root: string): string {
  if (/^file:/i.test(root)) return root;
  if (root.startsWith('/')) return `file://${encodePath(root)}`;
  const path = encodePath(root.replaceAll('\\', '/'));
  return path.startsWith('//') ? `file:${path}` : `file:///${path}`; // a network path, or one with a drive letter
}

const encodePath = (path: string): string => encodeURI(path).replace(/[?#]/g, encodeURIComponent);
