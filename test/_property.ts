import fc from 'fast-check';

/** The seed of property tests, which makes every run the same. */
const DEFAULT_SEED = 20_261_122;

/**
 * Reads the seed from `FUZZ_SEED`: a 32-bit integer, or `random` for a new seed in every run. A failure prints the seed
 * that reproduces it.
 *
 * @throws Error for any other value.
 */
function toSeed(value: string | undefined): number | undefined {
  if (value === undefined || value === '') return DEFAULT_SEED;
  if (value === 'random') return undefined;
  const seed = Number(value);
  if (Number.isInteger(seed) && Math.abs(seed) < 2 ** 31) return seed;
  throw new Error(`Expected FUZZ_SEED to be "random" or a 32-bit integer, got "${value}".`);
}

const seed = toSeed(process.env.FUZZ_SEED);
fc.configureGlobal({ ...fc.readConfigureGlobal(), ...(seed !== undefined && { seed }) });

/** fast-check with the seed of this run. Tests import it from here, which a lint rule checks. */
export default fc;
