import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';
import { boundMethods } from './.eslint.bound-methods.mjs';
import { linearExpressions } from './.eslint.linear-expressions.mjs';

export default tseslint.config(
  {
    ignores: [
      ...[
        '**/dist/',
        '**/node_modules/',
        'playground/.data/',
        '**/test-results/',
        '.docs/.pages/',
        '.docs/.vitepress/cache/',
      ],
      // Their packages are installed by a test, which checks the types.
      ...['playground/examples/', 'playground/recipes/{dbos,page-dialogs,restate,resumable-chat}/'],
    ],
  },
  eslint.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.recommended],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      // Allows omitted properties (`const { a, ...rest }`) and parameters that a signature requires.
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
    },
  },
  {
    files: ['src/**/*.ts', 'playground/**/*.ts', 'playground/**/*.tsx'],
    plugins: { bound: boundMethods },
    rules: { 'bound/bound-methods': 'error' },
  },
  {
    files: ['src/**/*.ts'],
    ignores: [
      // They read what the application wrote.
      ...['src/tools/mcp/config/**', 'src/testing/**', '!src/testing/command/**'],
      // Its expressions are parts of others, whose time test/core/redaction/linearity.test.ts measures.
      'src/core/redaction/rules.ts',
    ],
    plugins: { kelivo: linearExpressions },
    rules: { 'kelivo/linear-expressions': 'error' },
  },
  {
    files: ['test/**/*.ts'],
    ignores: ['test/_property.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { name: 'fast-check', message: 'Import it from test/_property.ts, which sets the seed.' },
      ],
    },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: {
        AbortController: 'readonly',
        console: 'readonly',
        process: 'readonly',
        setTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        clearTimeout: 'readonly',
        setImmediate: 'readonly',
        URL: 'readonly',
        fetch: 'readonly',
        Response: 'readonly',
        Buffer: 'readonly',
      },
    },
  },
);
