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
  /** The beginning of a secret, for the guide. */
  readonly example: string;
  /** The last group that matches is the secret, without groups the whole match. */
  readonly pattern: RegExp;
}

/** A place in which values under certain names are secrets. */
export interface SecretNames {
  readonly name: string;
  /** A name of such a value, for the guide. */
  readonly example: string;
  readonly pattern: RegExp;
}

/** The ends of names of secrets, in upper and lower case. */
const NAME = String.raw`(?:access|account|api|private|secret|shared|signing)[_-]?key|secret|token|passphrase|password|passwd|(?<![a-z])pwd`;

/** Names whose values are secrets, by the place of the name. */
export const SECRET_NAMES = {
  field: {
    name: 'Field of a JSON object',
    example: 'access_token',
    pattern: new RegExp(`(?:${NAME}|authorization|cookie)$`, 'i'),
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

/**
 * Returns a rule for a token with an unmistakable beginning. It begins a word, possibly after an escape sequence of JSON or
 * of an address, and is not in the middle of base64.
 */
const token = (name: string, example: string, { source }: RegExp): SecretRule => ({
  name,
  example,
  pattern: new RegExp(
    String.raw`(?:(?<!\w|[\w-]{20})|(?<=\\[bfnrt]|\\u[\da-fA-F]{4}|%[\da-fA-F]{2}))(?:${source})`,
    'dg',
  ),
});

/** Returns a rule for what follows a name, such as `DB_PASSWORD`. */
const named = ({ source }: RegExp): RegExp => new RegExp(`(?:${NAME})${source}`, 'dgi');

/** Secrets that are recognized wherever they appear. */
export const SECRET_RULES: readonly SecretRule[] = [
  token('OpenAI and services that imitate its keys', 'sk-…', /[sp]k-[\w-]{8,}/),
  token(
    'Stripe, ElevenLabs',
    'sk_live_…',
    /[prs]k_(?:(?:live|prod|test)_\w{8,}|(?=[a-zA-Z]{0,30}\d)[a-zA-Z\d]{8,})/,
  ),
  token('Google API key', 'AIza…', /AIza[\w-]{30,}|AQ\.[\w-]{30,}/),
  token('Google OAuth', 'ya29.…', /ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}|1\/\/0[\w-]{30,}/),
  token('AWS access key', 'AKIA…', /(?:A3T[A-Z\d]|ABIA|ACCA|AKIA|ASIA)[A-Z\d]{16}(?![A-Za-z\d])/),
  token(
    'AWS secret after its access key',
    'AKIA…:…',
    /(?:AKIA|ASIA)[A-Z\d]{16}[\s:,;/|"'\\]{1,6}([A-Za-z\d/+]{40})(?![A-Za-z\d/+=])/,
  ),
  token('Amazon Bedrock', 'ABSK…', /ABSK[A-Za-z\d+/]{40,}={0,2}|bedrock-api-key-[\w+/=-]{20,}/),
  token('Azure', '…JQQJ99…', /[A-Za-z\d]{40,60}JQQJ9[9D][A-Za-z\d]{8,40}/),
  token('JSON Web Token', 'eyJ…', /ey[\w-]{15,}\.(?:ey[\w-]{15,}(?:\.[\w-]*)?|(?:[\w-]*\.){3}[\w-]+)/),
  token('GitHub', 'ghp_…', /gh[oprsu]_\w{16,}(?:\.[\w-]{10,}){0,2}|github_pat_\w{16,}/),
  token('GitLab', 'glpat-…', /gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|soat)-[\w-]{16,}(?:\.\w+){0,3}/),
  token('Slack', 'xoxb-…', /xox[a-z](?:\.xox[a-z])?-[\w-]{8,}|xapp-[\w-]{8,}/),
  token('Hugging Face', 'hf_…', /hf_[A-Za-z\d]{16,}|api_org_[A-Za-z]{30,}/),
  token(
    'Other services with models',
    'gsk_…',
    /(?:csk-|fw_|gsk_|jina_|pplx-|r8_|xai-)[A-Za-z\d]{20,}|(?:nvapi-|tgp_v1_|tvly-)[\w-]{20,}/,
  ),
  token('Package registries', 'npm_…', /npm_[A-Za-z\d]{30,}|pypi-[\w-]{50,}|dckr_pat_[\w-]{20,}/),
  token(
    'Hosting services',
    'dop_v1_…',
    /do[opr]_v1_[a-f\d]{32,}|sbp_[a-f\d]{32,}|sb_secret_[\w-]{16,}|vc[aikpr]_[A-Za-z\d]{20,}|dapi[a-f\d]{32}(?:-\d)?/,
  ),
  token(
    'Other applications',
    'ntn_…',
    /(?:figd_|lin_(?:api|oauth)_|shp(?:at|ca|pa|ss)_|phx_|glsa_|glc_)[\w+/-]{30,}={0,2}|(?:ntn|secret)_[A-Za-z\d]{40,}|ATATT3[\w=-]{20,}|SG\.[\w-]{16,}\.[\w-]{16,}|hv[brs]\.[\w-]{24,}|ops_ey[\w+/=-]{40,}/,
  ),
  token('Telegram bot', '123456789:AA…', /\d{8,10}:AA[\w-]{30,}/),
  {
    name: 'Address of a webhook',
    example: 'hooks.slack.com/services/…',
    pattern:
      /(?:hooks\.slack\.com\/(?:services|triggers|workflows)|discord(?:app)?\.com\/api\/webhooks\/\d{1,30})\/([\w/-]{16,})/dg,
  },
  {
    name: 'Private key',
    example: '-----BEGIN PRIVATE KEY-----',
    // Also without an end, in truncated text.
    pattern:
      /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?!-----END)[^]){0,20000}(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?/dg,
  },
  {
    name: '`Authorization` header',
    example: 'Authorization: Digest …',
    pattern:
      /authorization(?:\\*["'])?\s{0,20}[:=]\s{0,20}(?:\\*["'])?(?:(?:apikey|basic|bearer|digest|token)\s{1,20})?([^\s"'\\,;&]+)/dgi,
  },
  {
    name: 'Value of a scheme',
    example: 'Bearer …',
    // The lookahead keeps prose such as "Basic authentication" and "bearer token" readable.
    pattern:
      /\b(?:[Bb]asic|BASIC|[Bb]earer|BEARER)(?:\s|%20|\+)+(?!(?:[A-Z]?[a-z]{1,14}|[A-Z]{1,14})(?![\w~+/=-]|\.\w))([\w.~+/=-]{6,})/dg,
  },
  {
    name: 'Quoted value of a name',
    example: 'password: "…"',
    pattern: named(/(?:\\*["'])?\s{0,20}[:=]\s{0,20}(\\*["'`])((?:(?!\1)(?:\\.|[^\\\n\r])){1,1000})(?=\1)/),
  },
  {
    name: 'Value of a name',
    example: 'api_key=…',
    pattern: named(
      /(?:\\*["'])?\s{0,20}[:=]\s{0,20}(?:\\*["'])?(?![{[<]|(?:Basic|Bearer)\s|(?:true|false|null|undefined)\b)((?:\\(?!["'bfnrtu])|[^\s"'\\,;&])+)/,
    ),
  },
  {
    name: 'Value of a command-line option',
    example: '--token …',
    pattern:
      /(?<!\w)--?(?:[\w-]{0,30}-)?(?:key|token|secret|password|passwd)(?:\\*["'],?\s{0,20}\\*["']|\s{1,20}\\*["']?|=\\*["']?)([^\s"'\\,;]{4,})/dgi,
  },
  {
    name: 'User and password in an address',
    example: 'https://user:…@host',
    // If the password is already redacted, the user name is kept.
    pattern: /\/\/(?![^\s/@:]*:\[redacted\]@)([^\s/"'<>\\]+)@(?=[\w.[-])/dg,
  },
  {
    name: 'Query parameter',
    example: '?X-Amz-Signature=…',
    pattern:
      /[?&](?:[\w.~-]{0,40}[_.-])?(?:auth|code|credential|key|pass|session|sig|signature|token)=([^&#\s"'<>\\]{4,})/dgi,
  },
];
