import type { McpServerConfig, McpServers } from 'kelivo-responses/mcp';

/** Replaces secrets in the configuration for the page. If the page sends it back, the stored secret is kept. */
const MASK = '••••••••';

/** Names of arguments and parameters with secret values. */
const SECRET_NAME = /key|token|secret|passw|auth|credential/i;

/** Masks all values of `env` and `headers`, and arguments and query parameters with sensitive names. */
export const maskServers = (servers: McpServers): McpServers =>
  mapServers(servers, (_name, config) => changeSecrets(config, () => MASK));

/** Replaces masks with the stored secrets. */
export const unmaskServers = (servers: McpServers, known: McpServers): McpServers =>
  mapServers(servers, (name, config) => {
    const before = known[name];
    const secrets = before === undefined ? new Map<string, string>() : readSecrets(before);
    return changeSecrets(config, (place, value) => (value === MASK ? (secrets.get(place) ?? value) : value));
  });

/** Marks the name of an environment variable in a text. It is the same in a URL. */
const toVariableMark = (name: string): string => `ENV--${name}--VNE`;

export const VARIABLE_MARK = /ENV--(\w+)--VNE/g;

/**
 * Replaces all secrets by marks of environment variables, one per value.
 *
 * @returns the servers and the names of the variables.
 */
export function toVariables(servers: McpServers): {
  readonly servers: McpServers;
  readonly names: readonly string[];
} {
  const variables = new Map<string, string>();
  const marked = mapServers(servers, (server, config) =>
    changeSecrets(config, (place, value) => {
      const [kind, name = ''] = place.split(/ (.*)/s);
      const own = kind === 'env' ? name.replace(/\W/g, '_') : toVariableName(`${server}_${name}`);
      const candidates = [own, toVariableName(`${server}_${own}`)];
      for (let count = 2; ; count++) {
        const free = candidates.find(known => (variables.get(known) ?? value) === value);
        if (free !== undefined) {
          variables.set(free, value);
          return toVariableMark(free);
        }
        candidates.push(`${own}_${count}`);
      }
    }),
  );
  return { servers: marked, names: [...variables.keys()] };
}

const toVariableName = (text: string): string =>
  text
    .replace(/[\W_]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .replace(/^(?=\d)/, '_')
    .toUpperCase();

/** Returns all secret values of a configuration. */
export const secretsOf = (servers: McpServers): string[] =>
  Object.values(servers).flatMap(config => [...readSecrets(config).values()]);

function readSecrets(config: McpServerConfig): Map<string, string> {
  const secrets = new Map<string, string>();
  changeSecrets(config, (place, value) => {
    secrets.set(place, value);
    return value;
  });
  return secrets;
}

type Change = (place: string, value: string) => string;

function changeSecrets(config: McpServerConfig, change: Change): McpServerConfig {
  if ('command' in config) {
    const { env, args } = config;
    return {
      ...config,
      ...(env && { env: changeValues(env, { kind: 'env', change }) }),
      ...(args && {
        args: args.map((value, index) => changeArgument(value, { before: args[index - 1], change })),
      }),
    };
  }
  const { headers, url } = config;
  return {
    ...config,
    url: changeParameters(url, change),
    ...(headers && { headers: changeValues(headers, { kind: 'header', change }) }),
  };
}

const changeValues = (
  values: Readonly<Record<string, string>>,
  { kind, change }: { kind: string; change: Change },
): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(`${kind} ${name}`, value)]));

/** `--api-key x` and `--token=x` */
function changeArgument(
  value: string,
  { before = '', change }: { before: string | undefined; change: Change },
): string {
  const [, name, assigned] = /^(-[^=]*)=(.+)$/s.exec(value) ?? [];
  if (name !== undefined && assigned !== undefined) {
    return SECRET_NAME.test(name) ? `${name}=${change(`argument ${name}`, assigned)}` : value;
  }
  return /^-[^=]*$/.test(before) && SECRET_NAME.test(before) ? change(`argument ${before}`, value) : value;
}

function changeParameters(url: string, change: Change): string {
  if (!URL.canParse(url)) return url;
  const address = new URL(url);
  for (const [name, value] of [...address.searchParams]) {
    if (SECRET_NAME.test(name)) address.searchParams.set(name, change(`parameter ${name}`, value));
  }
  return address.searchParams.size > 0 ? address.href : url;
}

const mapServers = (
  servers: McpServers,
  change: (name: string, config: McpServerConfig) => McpServerConfig,
): McpServers =>
  Object.fromEntries(Object.entries(servers).map(([name, config]) => [name, change(name, config)]));
