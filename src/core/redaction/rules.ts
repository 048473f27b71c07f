/*
 * The rules by which secrets are recognized in errors, logs, telemetry, request bodies and the playground. The guide
 * (README.md) lists the same rows with their sources.
 *
 * Texts may have megabytes, so a pattern takes linear time: a repetition at its beginning, or one that can start at many
 * places of the same text, has a limit.
 */

/** A kind of secret that is recognized by its text. */
export interface SecretRule {
  readonly name: string;
  /** A secret, shortened for the guide. */
  readonly example: string;
  /** The last group that matches is the secret and ends the match; without groups, all of it is. Tokens have no groups. */
  readonly pattern: RegExp;
}

/** A place in which values under certain names are secrets. */
export interface SecretNames {
  readonly name: string;
  /** A name of such a value, for the guide. */
  readonly example: string;
  readonly pattern: RegExp;
}

/** Names whose values are secrets, by the place of the name. */
export const SECRET_NAMES = {
  field: {
    name: 'Field of a JSON object',
    example: 'access_token',
    pattern:
      /(?:(?:access|account|api|private|secret|shared|signing)[_-]?key|secret|token|passphrase|password|passwd|(?<![a-z])pwd|authorization|cookie)$/i,
  },
  // Includes names that only gateways use.
  parameter: {
    name: 'Header, query parameter, environment variable',
    example: 'x-gateway-key',
    pattern:
      /auth|key|token|secret|cookie|pass(?:w|phrase|code|$)|credential|signature|session|^sig$|^code$/i,
  },
  argument: {
    name: 'Command-line option',
    example: '--api-key',
    pattern: /^-[^=]*(?:key|token|secret|password|passwd)[^=]*$/i,
  },
} satisfies Readonly<Record<string, SecretNames>>;

/** Names of parameters that match the pattern but hold no secret. */
export const INNOCENT_PARAMETER = /^(?:idempotency-key|x-session-affinity)$|rate-?limit/i;

/** Tokens with an unmistakable beginning, which begin a word. */
const TOKENS: readonly SecretRule[] = [
  { name: 'OpenAI and services that imitate its keys', example: 'sk-…', pattern: /[sp]k-[\w-]{8,}/ },
  {
    name: 'Stripe, ElevenLabs',
    example: 'sk_live_…',
    pattern: /[prs]k_(?:(?:live|prod|test)_\w{8,}|(?=[a-zA-Z]{0,30}\d)[a-zA-Z\d]{8,})/,
  },
  { name: 'Google API key', example: 'AIza…', pattern: /AIza[\w-]{30,}|AQ\.[\w-]{30,}/ },
  { name: 'Google OAuth', example: 'ya29.…', pattern: /ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}|1\/\/0[\w-]{30,}/ },
  {
    name: 'AWS access key, and the secret after it',
    example: 'AKIA…',
    pattern:
      /(?:A3T[A-Z\d]|ABIA|ACCA|AKIA|ASIA)[A-Z\d]{16}(?![A-Za-z\d])(?:[\s:,;/|"'\\]{1,6}[A-Za-z\d/+]{40}(?![A-Za-z\d/+=]))?/,
  },
  {
    name: 'Amazon Bedrock',
    example: 'ABSK…',
    pattern: /ABSK[A-Za-z\d+/]{40,}={0,2}|bedrock-api-key-[\w+/=-]{20,}/,
  },
  {
    name: 'Azure',
    example: '…JQQJ99…',
    pattern: /[A-Za-z\d]{40,60}JQQJ9[9D][A-Za-z\d]{8,40}|[\w~.]{3}\dQ~[\w~.-]{31,34}/,
  },
  {
    name: 'JSON Web Token',
    example: 'eyJ…',
    pattern: /ey[\w-]{15,}\.ey[\w-]{15,}(?:\.[\w-]*)?|eyJ[\w-]{15,}\.(?:[\w-]*\.){3}[\w-]+/,
  },
  { name: 'GitHub', example: 'ghp_…', pattern: /gh[oprsu]_\w{16,}(?:\.[\w-]{10,}){0,2}|github_pat_\w{16,}/ },
  {
    name: 'GitLab',
    example: 'glpat-…',
    pattern: /gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|soat)-[\w-]{16,}(?:\.\w+){0,3}/,
  },
  { name: 'Slack', example: 'xoxb-…', pattern: /xox[a-z](?:\.xox[a-z])?-[\w-]{8,}|xapp-[\w-]{8,}/ },
  { name: 'Hugging Face', example: 'hf_…', pattern: /hf_[A-Za-z\d]{16,}|api_org_[A-Za-z]{30,}/ },
  {
    name: 'Other services with models',
    example: 'gsk_…',
    pattern: /(?:csk-|fw_|gsk_|jina_|pplx-|r8_)[A-Za-z\d]{20,}|(?:nvapi-|tgp_v1_|tvly-|xai-)[\w-]{16,}/,
  },
  {
    name: 'Package registries',
    example: 'npm_…',
    pattern: /npm_[A-Za-z\d]{30,}|pypi-[\w-]{50,}|dckr_pat_[\w-]{20,}/,
  },
  {
    name: 'Hosting services',
    example: 'dop_v1_…',
    pattern:
      /LTAI[A-Za-z\d]{12,24}|do[opr]_v1_[a-f\d]{32,}|sbp_[a-f\d]{32,}|sb_secret_[\w-]{16,}|vc[aikpr]_[A-Za-z\d]{20,}|dapi[a-f\d]{32}(?:-\d)?/,
  },
  {
    name: 'Other applications',
    example: 'ntn_…',
    pattern:
      /(?:figd_|lin_(?:api|oauth)_|shp(?:at|ca|pa|ss)_|phx_|glsa_|glc_)[\w+/-]{30,}={0,2}|(?:ntn|secret)_[A-Za-z\d]{40,}|ATATT3[\w=-]{20,}|SG\.[\w-]{16,}\.[\w-]{16,}|hv[brs]\.[\w-]{24,}|ops_ey[\w+/=-]{40,}/,
  },
  { name: 'Telegram bot', example: '123456789:AA…', pattern: /\d{8,10}:AA[\w-]{30,}/ },
];

/*
 * Between a name and its value stands `:`, `=`, `==`, `===`, `:=` or `=>`. The patterns are literals, which bundlers omit
 * where nothing is redacted.
 */

/** Secrets that are recognized by what surrounds them. */
const VALUES: readonly SecretRule[] = [
  {
    name: 'Address of a webhook',
    example: 'hooks.slack.com/services/…',
    pattern:
      /(?:hooks\.slack\.com\/(?:services|triggers|workflows)|discord(?:app)?\.com\/api\/webhooks\/\d{1,30})\/([\w/-]{16,})/g,
  },
  {
    name: 'Private key',
    example: '-----BEGIN PRIVATE KEY-----',
    // Also without an end, in truncated text.
    pattern:
      /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?!-----END)[^]){0,20000}(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?/g,
  },
  {
    name: '`Authorization` header',
    example: 'Authorization: …',
    // Some schemes, such as `Digest`, have parameters.
    pattern:
      /authorization(?:\\*["'])?\s{0,20}(?::=|:(?!=)|=>|={1,3}(?![=>]))\s{0,20}(?:\\*["'])?(?:(?:apikey|basic|bearer|digest|token)\s{1,20}|[\w-]{1,30}\s{1,20}(?=\w{1,40}=|\[redacted\]))?(\w{1,40}=(?:\\*"[^"\\\r\n]*\\*"|[^\s"'\\,;&]+)(?:,\s{0,20}\w{1,40}=(?:\\*"[^"\\\r\n]*\\*"|[^\s"'\\,;&]+))*|[^\s"'\\,;&]+)/gi,
  },
  {
    name: '`Cookie` header',
    example: 'Cookie: a=…; b=…',
    // Up to the end of the line, because the values of attributes such as `Expires` contain spaces and commas.
    pattern:
      /cookie(?:\\*["'])?\s{0,20}(?::=|:(?!=)|=>|={1,3}(?![=>]))\s{0,20}(?:\\*["'])?((?=[\w.~!#$%&*+^|-]{1,200}=)(?:=\\*"[^"\\\r\n]*\\*"|[^"'\\\r\n])+)/gi,
  },
  {
    name: 'Value of a scheme',
    example: 'Bearer …',
    // The lookahead keeps prose such as "Basic authentication" and "bearer token" readable.
    pattern:
      /\b(?:[Bb]asic|BASIC|[Bb]earer|BEARER)(?:\s|%20|\+)+(?!(?:[A-Z]?[a-z]{1,14}|[A-Z]{1,14})(?![\w~+/=-]|\.\w))([\w.~+/=-]{6,})/g,
  },
  {
    name: 'Value of a command-line option',
    example: '--token …',
    pattern:
      /(?<![\w-])--?(?:[\w-]{0,30}-)?(?:key|token|secret|password|passwd)(?:\\*["'],?\s{0,20}\\*["']|\s{1,20}\\*["']?|=\\*["']?)([^\s"'\\,;]{4,})/gi,
  },
  {
    name: 'User and password in an address',
    example: 'https://…@host',
    // If the password is already redacted, the user name is kept.
    pattern: /\/\/(?![^\s/@:]*:\[redacted\]@)([^\s/"'<>\\]+)(?=@[\w.[-])/g,
  },
  {
    name: 'Query parameter',
    example: '?X-Amz-Signature=…',
    pattern:
      /[?&](?:[\w.~-]{0,40}[_.-])?(?:auth|code|credential|key|pass|session|sig|signature|token)=([^&#\s"'<>\\]{4,})/gi,
  },
];

/** What follows a name such as `DB_PASSWORD`. */
const NAMED: readonly SecretRule[] = [
  {
    name: 'Quoted value of a name',
    example: 'password: "…"',
    pattern:
      /(?:\\*["'])?\s{0,20}(?::=|:(?!=)|=>|={1,3}(?![=>]))\s{0,20}(\\*["'`])((?:(?!\1)(?:\\.|[^\\\n\r])){1,1000})(?=\1)/,
  },
  {
    name: 'Value of a name',
    example: 'api_key=…',
    // The body of an arrow function, which calls one, is no value.
    pattern:
      /(?:\\*["'])?\s{0,20}(?::=|:(?!=)|=>|={1,3}(?![=>]))\s{0,20}(?:\\*["'])?(?![{[<]|(?:Basic|Bearer)\s|(?:true|false|null|undefined)\b|(?<==>\s{0,20})[\w.]{1,100}\()((?:\\(?!["'bfnrtu])|[^\s"'\\,;&])+)/,
  },
];

/**
 * Returns all rules, which the guide lists.
 *
 * @internal
 */
export const listSecretRules = (): readonly SecretRule[] => [...TOKENS, ...VALUES, ...NAMED];

/** A word begins here, possibly after an escape sequence of JSON or of an address, and not in the middle of base64. */
const WORD_START = /(?=[A-Za-z\d])(?:(?<!\w|[\w-]{20})|(?<=\\[bfnrt]|\\u[\da-fA-F]{4}|%[\da-fA-F]{2}))/;

let patterns: readonly RegExp[] | undefined;

/**
 * Returns what is searched. All tokens are one pattern, which takes a tenth of the time. Created on first use, so that
 * bundlers omit it where nothing is redacted.
 */
export function secretPatterns(): readonly RegExp[] {
  // `Authorization` has a rule of its own.
  const names = `${SECRET_NAMES.field.pattern.source.slice(0, -1)}(?<!authorization)`;
  return (patterns ??= [
    new RegExp(`${WORD_START.source}(?:${TOKENS.map(token => token.pattern.source).join('|')})`, 'g'),
    ...VALUES.map(value => value.pattern),
    ...NAMED.map(rule => new RegExp(names + rule.pattern.source, 'gi')),
  ]);
}
