import { describe } from 'vitest';
import { contractDimensions, contractHosts, itKeepsTheContract } from './_contract.js';
import { combine } from '../_products.js';

describe('a turn is the same on and off', () => {
  itKeepsTheContract(combine({ host: contractHosts, ...contractDimensions }));
});
