import { KelivoError } from '../../shared/errors.js';

/** Keys of a server in which variables are expanded, including one nested level. */
const expandedKeys = ['command', 'args', 'env', 'cwd', 'url', 'headers', 'roots'];

/** Matches `${NAME}` and the escape `$${`. A name may contain any character, so `${env:TOKEN}` is valid too. */
const reference = /\$\$\{|\$\{([^}]*)\}/g;

/**
 * Replaces `${NAME}` references in the strings of a server. Only the given values are used. The environment is never
 * read, because a configuration file from elsewhere could send any of its variables to any server.
 *
 * @throws KelivoError `invalid-settings` for an unknown variable.
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
          `Expected \`${key}\` of MCP server ${JSON.stringify(serverName)} to reference only variables of ` +
          `\`expandVariables\` (${known}), got ${JSON.stringify(`\${${name}}`)}. ` +
          'Add the variable, or write `$${` for a literal `${`.',
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
