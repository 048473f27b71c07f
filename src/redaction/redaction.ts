import { isNonEmptyArray, isPlainObject, type PlainObject } from '../shared/json.js';

/** Replaces a secret in errors, logs and metadata. */
const MARK = '[redacted]';

/** Removes secrets from errors, logs and metadata. Text that the model reads is never redacted. */
export interface Redactor {
  /** Removes the known secrets and any text that looks like a credential. Used for errors and logs. */
  redact(text: string): string;
  /** Removes only the known secrets. Used for data that must otherwise arrive unchanged. */
  redactKnown(text: string): string;
  /**
   * Returns true if an error can be passed on as a cause. It must contain no secret and no object (a `Request`, the client
   * of a library) with internal state that a logger could print.
   */
  isClean(value: unknown): boolean;
}

/** Creates a redactor for known secret values, in plain, JSON-escaped and URL-encoded format. */
export function createRedactor(secrets: readonly string[]): Redactor {
  const variants = [
    ...new Set(secrets.flatMap(secret => [secret, JSON.stringify(secret).slice(1, -1), encode(secret)])),
  ].sort((a, b) => b.length - a.length);
  const redactKnown = (text: string): string =>
    variants.reduce((clean, variant) => clean.replaceAll(variant, MARK), text);
  const redact = (text: string): string =>
    CREDENTIAL_PATTERNS.reduce(
      (clean, [pattern, replacement]) => clean.replace(pattern, replacement),
      redactKnown(text),
    );

  return { redact, redactKnown, isClean: value => isClean(value, new Set()) };

  function isClean(value: unknown, seen: Set<unknown>): boolean {
    if (typeof value === 'string') return redact(value) === value;
    if (typeof value === 'function') return false;
    if (typeof value !== 'object' || value === null || seen.has(value)) return true;
    seen.add(value);
    if (!isPlain(value)) return false;
    // Includes properties that are not enumerable, such as the message and the stack.
    return Object.getOwnPropertyNames(value).every(
      name => isClean(name, seen) && isClean(Reflect.get(value, name), seen),
    );
  }
}

/** Text that looks like a credential wherever it appears. */
const CREDENTIAL_PATTERNS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // The lookahead keeps prose such as "Basic authentication" and "bearer token" readable.
  [
    /\b(Bearer|Basic)\s+(?!(?:[a-z]{1,7}|auth[a-z]*|credentials?)(?![\w~+/=-]|\.\w))[\w.~+/=-]+/gi,
    `$1 ${MARK}`,
  ],
  [/\b(?:sk|pk|ghp|gho|ghs|glpat|xox[abprs]|github_pat|hf|npm)[-_][\w-]{8,}/g, MARK],
  [
    /((?:api[-_]?key|token|secret|password|passwd|authorization)["']?\s*[=:]\s*["']?)(?!(?:Bearer|Basic)\s)[^\s"',;&]+/gi,
    `$1${MARK}`,
  ],
  // User and password in an address; if the password is already redacted, the user name is kept.
  [/\/\/(?![^\s/@:]*:\[redacted\]@)[^\s/@]+@/g, `//${MARK}@`],
];

/** Names of JSON fields whose text is a credential. */
const CREDENTIAL_FIELD = /(?:api[-_]?key|token|secret|password|passwd|authorization)$/i;

/** Redacts all strings of a JSON value of an error, including field names: a server may repeat a key in any of them. */
export function redactJson(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map(entry => redactJson(entry, redact));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [redact(name), redactJson(field, redact)]),
  );
}

/** Redacts an error body as `redactJson` does, and the text of fields such as `token` and `password`. */
export const redactErrorJson = (value: unknown, redact: (text: string) => string): unknown =>
  redactJson(hideCredentialFields(value), redact);

function hideCredentialFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hideCredentialFields);
  if (!isPlainObject(value)) return value;
  return mapFields(value, (name, field) =>
    typeof field === 'string' && field !== '' && CREDENTIAL_FIELD.test(name)
      ? MARK
      : hideCredentialFields(field),
  );
}

type HeaderList = Iterable<readonly [name: string, value: string]>;

/** Redacts headers for a log: the complete value under a secret name, credentials in other values. */
export const redactHeaders = (
  headers: HeaderList,
  redact: (text: string) => string,
): Record<string, string> =>
  Object.fromEntries([...headers].map(([name, value]) => [name, isSecretName(name) ? MARK : redact(value)]));

/** Redacts the values of response headers. Names are ignored: `x-ratelimit-remaining-tokens` must stay readable. */
export const redactHeaderValues = (
  headers: HeaderList,
  redact: (text: string) => string,
): Record<string, string> => Object.fromEntries([...headers].map(([name, value]) => [name, redact(value)]));

/** Names of headers and query parameters whose values are secrets, including gateway-specific names. */
const SECRET_NAME =
  /auth|key|token|secret|cookie|pass(?:w|phrase|code|$)|credential|signature|session|^sig$|^code$/i;

/** Names that match `SECRET_NAME` but hold no secret. */
const INNOCENT_NAME = /^(idempotency-key|x-session-affinity)$/i;

/** A value with an authentication scheme is a secret under any name. */
const CREDENTIALS = /^(?:bearer|basic) +\S{8,}$/i;

/** Values that are never secrets: replacing them would make every text unreadable. */
const COMMON_VALUE = /^(\d{1,8}|true|false|null|none|undefined)$/i;

/** Shorter values occur in innocent text. */
const MIN_SECRET_LENGTH = 4;

/** The minimum for values whose names do not mark them as secret, such as `debug` or a port. */
const MIN_UNNAMED_LENGTH = 6;

type NamedValues = Iterable<readonly [name: string, value: string | undefined]>;

const isSecretName = (name: string): boolean => SECRET_NAME.test(name) && !INNOCENT_NAME.test(name);

const isSecret = (value: string): boolean => value.length >= MIN_SECRET_LENGTH && !COMMON_VALUE.test(value);

const withoutScheme = (value: string): string => value.replace(/^\w+ +/, '');

/** Finds secrets among named values, each with and without its scheme (`Bearer`). */
export function findSecrets(values: NamedValues): string[] {
  const secrets: string[] = [];
  for (const [name, value = ''] of values) {
    const text = value.trim();
    if (!isSecretName(name) && !CREDENTIALS.test(text)) continue;
    for (const secret of [text, withoutScheme(text)]) if (isSecret(secret)) secrets.push(secret);
  }
  return secrets;
}

/** Returns true if headers contain a key. */
export const hasKey = (headers: Readonly<Record<string, string>>): boolean =>
  Object.entries(headers).some(header => findSecrets([header]).length > 0);

/** Treats every value as a secret, regardless of its name: the environment and the headers of an MCP server. */
export const findPrivateValues = (values: NamedValues): string[] => {
  const list = [...values];
  const long = list
    .flatMap(([, value = '']) => [value, value.trim(), withoutScheme(value.trim())])
    .filter(value => value.length >= MIN_UNNAMED_LENGTH);
  return [...new Set([...long, ...findSecrets(list)])];
};

/** Finds secrets in command-line arguments: `--api-key x` and `--token=x`. Other arguments make an error useful. */
export const findSecretArguments = (args: readonly string[]): string[] =>
  args
    .flatMap((argument, index) => {
      const assigned = SECRET_ASSIGNMENT.exec(argument)?.[1];
      return assigned ?? (SECRET_OPTION.test(args[index - 1] ?? '') ? argument : []);
    })
    .filter(isSecret);

const SECRET_ASSIGNMENT = /^-[^=]*(?:key|token|secret|password)[^=]*=(.+)$/i;
const SECRET_OPTION = /^-[^=]*(?:key|token|secret|password)[^=]*$/i;

/** Finds the secrets in the query of an address. */
export const findUrlSecrets = (address: string): string[] =>
  URL.canParse(address) ? findSecrets(new URL(address).searchParams) : [];

/** Removes the password and the secrets in the query of an address. */
export function redactUrl(address: string): { url: string; secrets: string[] } {
  const secrets: string[] = [];
  const url = address
    .replace(/^(\w+:\/\/[^/?#@]*:)([^/?#]*)(?=@)/, (_, before: string, password: string) => {
      secrets.push(password, decode(password));
      return `${before}${MARK}`;
    })
    .replace(/([?&])([^=&#]*)=([^&#]*)/g, (pair, sign: string, name: string, value: string) => {
      const found = findSecrets([[decode(name), decode(value)]]);
      if (found.length === 0) return pair;
      secrets.push(value, ...found);
      return `${sign}${name}=${MARK}`;
    });
  return { url, secrets: secrets.filter(secret => secret.length >= MIN_SECRET_LENGTH) };
}

/** Removes the query of an address: it can carry keys (Google's `?key=`), and errors are logged. */
export function withoutQuery(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? url : url.slice(0, at);
}

/**
 * Redacts a request body for errors and metadata: hosted tools carry the credentials of MCP servers and of the
 * addresses that containers may reach. Items of the input can contain tools, too. Gateways accept credentials in fields
 * that the API does not define.
 */
export function redactRequestBody(body: unknown): { body: unknown; secrets: string[] } {
  if (!isPlainObject(body)) return { body, secrets: [] };
  const secrets: string[] = [];

  /** Fields of tools that hold secrets, each with its redaction. */
  const rules = new Map<string, (value: unknown) => unknown>([
    ['authorization', hide],
    ['headers', hide],
    ['server_url', hideInUrl],
    ['environment', hideInEnvironment],
    ['container', hideInEnvironment],
    ['tools', hideInTools],
  ]);
  const redacted = {
    ...mapFields(body, (name, value) => (CONTENT_FIELDS.has(name) ? value : hideCredentials(value, name))),
    ...(isNonEmptyArray(body.tools) && { tools: hideInTools(body.tools) }),
    ...(isNonEmptyArray(body.input) &&
      body.input.some(hasTools) && {
        input: body.input.map((item: unknown) =>
          hasTools(item) ? { ...item, tools: hideInTools(item.tools) } : item,
        ),
      }),
  };
  return secrets.length === 0 ? { body, secrets } : { body: redacted, secrets };

  function hideInTools(tools: unknown): unknown {
    if (!Array.isArray(tools)) return tools;
    return tools.map((tool: unknown) => {
      if (!isPlainObject(tool) || tool.type === 'function') return tool;
      return mapFields(tool, (name, value) => {
        const rule = rules.get(name);
        if (rule !== undefined) return rule(value);
        // An option that this package does not know is sent as well.
        return typeof value === 'string' && CREDENTIAL_FIELD.test(name) ? hide(value) : value;
      });
    });
  }

  function hideCredentials(value: unknown, name: string): unknown {
    if (Array.isArray(value)) return value.map(item => hideCredentials(item, name));
    if (isPlainObject(value)) return mapFields(value, (key, field) => hideCredentials(field, key));
    if (typeof value !== 'string') return value;
    return CREDENTIAL_FIELD.test(name) || looksLikeCredential(value) ? hide(value) : value;
  }

  function hide(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(hide);
    if (isPlainObject(value)) return mapFields(value, (_, field) => hide(field));
    if (typeof value !== 'string') return value;
    addSecrets(value, withoutScheme(value));
    return MARK;
  }

  /** Redacts the values of `network_policy.domain_secrets`, and everything in secrets of another shape. */
  function hideInEnvironment(environment: unknown): unknown {
    if (!isPlainObject(environment) || !isPlainObject(environment.network_policy)) return environment;
    const { network_policy } = environment;
    const { domain_secrets: found } = network_policy;
    if (found === undefined) return environment;
    const domain_secrets = Array.isArray(found)
      ? found.map((secret: unknown) =>
          isPlainObject(secret) && typeof secret.domain === 'string' && 'value' in secret
            ? { ...secret, value: hide(secret.value) }
            : hide(secret),
        )
      : hide(found);
    return { ...environment, network_policy: { ...network_policy, domain_secrets } };
  }

  function hideInUrl(address: unknown): unknown {
    if (typeof address !== 'string') return address;
    const redacted = redactUrl(address);
    addSecrets(...redacted.secrets);
    return redacted.url;
  }

  function addSecrets(...found: string[]): void {
    secrets.push(...found.filter(isSecret));
  }
}

const hasTools = (item: unknown): item is PlainObject => isPlainObject(item) && isNonEmptyArray(item.tools);

/** Fields of a request body that contain text for the model, schemas, tools or the name of the model. */
const CONTENT_FIELDS: ReadonlySet<string> = new Set(['input', 'instructions', 'model', 'text', 'tools']);

const looksLikeCredential = (text: string): boolean =>
  CREDENTIAL_PATTERNS.some(([pattern]) => text.search(pattern) >= 0);

const mapFields = (fields: PlainObject, toValue: (name: string, value: unknown) => unknown): PlainObject =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, toValue(name, value)]));

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    value instanceof Error || Array.isArray(value) || prototype === Object.prototype || prototype === null
  );
}

/** URL-encodes a secret. Lone surrogates cannot be encoded. */
function encode(secret: string): string {
  try {
    return encodeURIComponent(secret);
  } catch {
    return secret;
  }
}

/** Decodes a part of a query. Returns text with an invalid encoding unchanged. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
