/*
 * The model families: rows of two tables, and two families with options.
 */
export { mistral } from './mistral.js';
export { qwen } from './qwen.js';
export * from './tags.js';
export * from './tokens.js';
