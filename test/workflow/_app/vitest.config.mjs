import { workflow } from '@workflow/vitest';
import { defineConfig } from 'vitest/config';

export default defineConfig({ plugins: [workflow()], test: { testTimeout: 300_000 } });
