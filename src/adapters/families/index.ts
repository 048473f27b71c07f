/*
 * The model families: rows of two tables. A middleware with options has a file of its own.
 */
export * from './tags.js';
export * from './tokens.js';
