/** Long paths in a command line keep their ends: `/usr/lib/a/dist/index.js` becomes `…/a/dist/index.js`. */
export const shortenPaths = (text: string): string =>
  text.replace(/(?<![\w:/])(?:\/[^\s/"']+){2,}((?:\/[^\s/"']+){3})/g, '…$1');
