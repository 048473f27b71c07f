/* Loaded dynamically, so that the code of `ai` does not delay the first page. */
export { readUIMessageStream } from 'ai';
