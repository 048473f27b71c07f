/* A module of its own, which loads while the page waits for the first question. */
export { readUIMessageStream } from 'ai';
