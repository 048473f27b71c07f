/**
 * Replaces `hast-util-from-html-isomorphic` in the bundle, which parses with the browser: this reports each style of a formula
 * as a violation of the page's policy, and drops it.
 */
export { fromHtml as fromHtmlIsomorphic } from 'hast-util-from-html';
