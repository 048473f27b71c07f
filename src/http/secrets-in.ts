/** Names of headers and query parameters whose values are secrets: gateways have names of their own for them. */
const SECRET_NAME =
  /auth|key|token|secret|cookie|pass(?:w|phrase|code|$)|credential|signature|session|^sig$|^code$/i;

/** Names that only sound like it. */
const INNOCENT_NAME = /^(idempotency-key|x-session-affinity)$/i;

/** A value that says itself that it is a secret, under whatever name. */
const CREDENTIALS = /^(?:bearer|basic) +\S{8,}$/i;

/** What a secret cannot be; redacted, such a word would spoil every text. */
const COMMON_VALUE = /^(\d{1,8}|true|false|null|none|undefined)$/i;

type Values = Iterable<readonly [name: string, value: string | undefined]>;

/** The values that must not appear in an error, whole and without their scheme (`Bearer`). */
export const secretsIn = (values: Values): string[] =>
  [...values]
    .filter(([name, value = '']) => isSecretName(name) || CREDENTIALS.test(value.trim()))
    .flatMap(([, value = '']) => [value.trim(), value.trim().replace(/^\w+ +/, '')])
    .filter(isSecret);

/** Whether the value of a header or a query parameter of this name is a secret. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name) && !INNOCENT_NAME.test(name);

/** The secrets in the query of an address. */
export const secretsInUrl = (address: string): string[] =>
  URL.canParse(address) ? secretsIn(new URL(address).searchParams) : [];

/** A shorter one would be found all over an innocent text. */
const isSecret = (value: string): boolean => value.length >= 4 && !COMMON_VALUE.test(value);
