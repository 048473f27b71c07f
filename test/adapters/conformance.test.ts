import { describe } from 'vitest';
import { modelAdapters } from '../../src/adapters/model-adapters.js';
import { testAdapter } from './_conformance.js';

for (const adapter of modelAdapters.all()) describe(adapter.name, () => testAdapter(adapter));
