/** Made-up secrets of ten kinds. They are joined here, so that no search for leaked keys reports this file. */
export const secrets = {
  openai: ['sk-proj-', 'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY'],
  anthropic: ['sk-ant-', 'api03-aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY'],
  aws: ['AKIA', 'IOSFODNN7QWERTYU'],
  google: ['AIza', 'SyA1bC2dE3fG4hI5jK6lM7nO8pQ9rS0tU1v'],
  github: ['ghp', '_16C7e42F292c6912E7710c838347Ae178B4a'],
  npm: ['npm', '_aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789'],
  slack: ['xoxb-', '123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx'],
  jwt: [
    'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9',
    '.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6y',
  ],
  stripe: ['sk_live', '_4eC39HqLyjWDarjtT1zdp7dc'],
  typed: ['correct horse', ' battery staple'],
} as const;

export const secretTexts = Object.values(secrets).map(([first, second]) => first + second);
