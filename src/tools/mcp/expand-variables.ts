import { KelivoError } from '../../shared/errors.js';

/** The keys of a server in whose texts variables are expanded, also one level down. */
const expandedKeys = ['command', 'args', 'env', 'cwd', 'url', 'headers'];

/** `$${` stands for `${` itself; a name may hold anything, so that `${env:TOKEN}` is one too. */
const reference = /\$\$\{|\$\{([^}]*)\}/g;

/**
 * Puts values in place of the `${NAME}` in a server's texts. Only the given values are known; the environment is never
 * read, because a configuration file from elsewhere could send any variable of it to any server.
 *
 * @throws KelivoError `invalid-settings` for a variable that is not given.
 */
export function expandVariables(
  config: Readonly<Record<string, unknown>>,
  { serverName, variables }: { serverName: string; variables: Readonly<Record<string, string>> },
): Record<string, unknown> {
  const expandText = (text: string, key: string): string =>
    text.replace(reference, (found: string, name?: string) => {
      if (name === undefined) return found.slice(1);
      const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
      if (value !== undefined) return value;
      const known = Object.keys(variables).join(', ') || 'none';
      throw new KelivoError({
        code: 'invalid-settings',
        message:
          `Expected \`${key}\` of MCP server ${JSON.stringify(serverName)} to name variables of \`expandVariables\` only ` +
          `(${known}), got ${JSON.stringify(`\${${name}}`)}. Add it, or write \`$\${\` for the characters themselves.`,
      });
    });

  const expand = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return expandText(value, key);
    if (Array.isArray(value)) return value.map((item, index) => expand(item, `${key}.${index}`));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, expand(item, `${key}.${name}`)]),
    );
  };

  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [
      key,
      expandedKeys.includes(key) ? expand(value, key) : value,
    ]),
  );
}
