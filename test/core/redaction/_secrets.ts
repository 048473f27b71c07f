/**
 * Made-up secrets by the name of their rule. They are joined here, so that no search for leaked keys reports this file.
 * The last part is the secret.
 */
const parts: Readonly<Record<string, readonly (readonly [before: string, secret: readonly string[]])[]>> = {
  'OpenAI and services that imitate its keys': [
    ['', ['sk-proj-', 'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY']],
    ['', ['sk-ant-', 'api03-aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY']],
    ['', ['sk-or-v1-', '0123456789abcdef0123456789abcdef']],
  ],
  'Stripe, ElevenLabs': [
    ['', ['sk_live', '_4eC39HqLyjWDarjtT1zdp7dc']],
    ['', ['sk_', '0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a6978']],
  ],
  'Google API key': [
    ['', ['AIza', 'SyA1bC2dE3fG4hI5jK6lM7nO8pQ9rS0tU1v']],
    ['', ['AQ.', 'Ab8RN6J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z']],
  ],
  'Google OAuth': [
    ['', ['ya29.', 'a0AfB_byC1d2E3f4G5h6I7j8K9l0']],
    ['', ['GOCSPX-', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4']],
  ],
  'AWS access key, and the secret after it': [
    ['', ['AKIA', 'IOSFODNN7QWERTYU']],
    ['', ['ASIA', 'IOSFODNN7QWERTYU:wJalrXUtnFEMIK7MDENGbPxRfiCYzQWERTYKEY+/']],
  ],
  'Amazon Bedrock': [['', ['ABSK', 'QmVkcm9ja0FQSUtleS1hYmNkLWF0LTEyMzQ1Njc4OTAxMjpxd2VydHk=']]],
  Azure: [['', ['aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xYaB3dE5fG7hJ9kL1mN3pQ', 'JQQJ99BAACAAAAAAAAAAAAAZMLabc1']]],
  'JSON Web Token': [
    [
      '',
      [
        'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9',
        '.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6y',
      ],
    ],
    [
      '',
      [
        'eyJhbGciOiJSU0EtT0FFUCJ9',
        '.OKOawDo13gRp2ojaHV7LFpZcgV.48V1_ALb6US04U3b.5eym8TW_c8SuK0lt.XFBoMYUZodetZdv',
      ],
    ],
  ],
  GitHub: [
    ['', ['ghp', '_16C7e42F292c6912E7710c838347Ae178B4a']],
    ['', ['github_pat', '_11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuVwXyZ0123456789']],
  ],
  GitLab: [['', ['glpat', '-aB3dE5fG7hJ9kL1mN3pQ']]],
  Slack: [
    ['', ['xoxb-', '123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx']],
    ['', ['xapp-', '1-A0123456789-1234567890123-0123456789abcdef']],
  ],
  'Hugging Face': [['', ['hf_', 'aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH']]],
  'Other services with models': [
    ['', ['gsk_', 'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xYaB3dE5fG7hJ9kL1mN3pQ']],
    ['', ['xai-', 'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY']],
  ],
  'Package registries': [['', ['npm', '_aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789']]],
  'Hosting services': [['', ['dop_v1', '_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef']]],
  'Other applications': [
    ['', ['ntn_', '12345678901aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xYaB3']],
    ['', ['SG.', 'aB3dE5fG7hJ9kL1mN3pQ.aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY']],
  ],
  'Telegram bot': [['', ['123456789', ':AAaB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xYz']]],
  'Address of a webhook': [
    ['https://hooks.slack.com/services/', ['T01234567/B01234567/', 'aB3dE5fG7hJ9kL1mN3pQ5rS7']],
  ],
  'Private key': [
    ['', ['-----BEGIN RSA PRIVATE KEY-----', '\nMIIEpAIBAAKCAQEA7bq9\n-----END RSA PRIVATE KEY-----']],
    ['', ['-----BEGIN PRIVATE KEY-----', '\nMIIEvQIBADANBgkqhkiG9w0BAQ']],
  ],
  '`Authorization` header': [
    ['Authorization: Digest ', ['quite', 'secret']],
    ['Authorization: Digest ', ['username="u", response="6629fae4', '9393a05397450978507c4ef1"']],
    ["'Authorization' => 'AWS4-HMAC-SHA256 ", ['Credential=quite, Signature=', '0f1e2d3c4b5a']],
  ],
  '`Cookie` header': [
    ['Cookie: ', ['theme=dark; session=', 's3cr3t-session']],
    ['Set-Cookie: ', ['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT, sid=', '"s3cr3t-session"; Path=/']],
  ],
  'Value of a scheme': [
    ['sent Bearer ', ['abc.', 'def-123']],
    ['sent Basic%20', ['dXNlcjpw', 'YXNzd29yZA==']],
  ],
  'Value of a command-line option': [['npx server --api-key ', ['quite', '-secret']]],
  'User and password in an address': [['postgres://', ['me:pass', 'word']]],
  'Query parameter': [['/file?X-Amz-Signature=', ['0f1e2d3c4b5a', '69788796a5b4c3d2e1f0']]],
  'Quoted value of a name': [
    ['password: "', ['correct horse ', 'battery staple']],
    [String.raw`{\"clientSecret\": \"`, ['hunter', '22']],
    ['password := "', ['hunter2', '-prod']],
    ['"password" => "', ['hunter2', '-prod']],
    ['if (password === "', ['hunter2', '-prod']],
    ['aws_secret_access_key = "', ['wJalrXUtnFEMI/K7MDENG/', 'bPxRfiCYqwertyKEY+/']],
  ],
  'Value of a name': [
    ['DB_PASSWORD=', ['hunter', '2']],
    ['password => ', ['hunter', '2prod']],
    ['&access_token=', ['0f1e2d3c4b5a', '69788796']],
  ],
};

export interface Secret {
  readonly rule: string;
  /** The secret and what makes it recognizable. */
  readonly text: string;
  readonly secret: string;
}

export const secrets: readonly Secret[] = Object.entries(parts).flatMap(([rule, examples]) =>
  examples.map(([before, secret]) => ({
    rule,
    secret: secret.join(''),
    text:
      before +
      secret.join('') +
      (rule === 'Quoted value of a name'
        ? before.endsWith('\\"')
          ? '\\"'
          : '"'
        : rule.startsWith('User')
          ? '@host.test/'
          : ''),
  })),
);

/** Texts that contain no secret, although they have the length or the beginning of one. */
export const ordinaryTexts: readonly string[] = [
  'The token count is 4000, max_tokens: 123456 and "total_tokens": 5.',
  'Basic authentication is required. Expected a bearer token, and Basic functionality.',
  'Unexpected token \'<\', "<!DOCTYPE "... is not valid JSON',
  '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  'call_62136354a1b2c3d4e5f60718 resp_67ccd2bed1ec8190b14f964abc054267 rs_0fa1b2c3d4e5 msg_67c fc_12 ws_1 call-0',
  'chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT toolu_01A09q90qw90lq917835lq9 gen-1741569952-aBcDeFgHiJkL',
  'da39a3ee5e6b4b0d3255bfef95601890afd80709',
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  'sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'eyJtZXNzYWdlIjoidGhpcyBpcyBub3QgYSB0b2tlbiJ9',
  'gAAAAABobQ8pZ2V0X3NlY3JldHMtYXJlLW5vdC1oZXJlLXNrLWJ1dC1lbmNyeXB0ZWQ-sk-9ZXhhbXBsZWxvbmdlcnRleHQ',
  'Donaudampfschifffahrtsgesellschaftskapitän pneumonoultramicroscopicsilicovolcanoconiosis',
  'scikit-learn hf_transfer hf_hub_download npm_config_cache npm-installation pk_users fw_manager glossary-of-long-words',
  'https://registry.npmjs.org/@ai-sdk/openai?page=2&sort=keys#authors',
  'at Object.<anonymous> (/srv/app/src/secret-manager/token-bucket.ts:10:5)',
  '--max-tokens 4096 --keyboard-layout us --verbose',
  'skip-navigation, task-queue-runner, risk-assessment-report, desk-reservation-system',
  'tokens.map(token => token.trim()), password => check(password), let token := {',
  'Set-Cookie: [redacted]; cookie = {}, if (cookie === null)',
  '-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkq\n-----END CERTIFICATE-----',
];
