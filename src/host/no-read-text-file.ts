/**
 * What bundles for browsers have in place of `readTextFile`: the field `browser` of package.json says so.
 *
 * @throws Error always, as there are no files.
 */
export function readTextFile(): Promise<string> {
  return Promise.reject(Object.assign(new Error('There are no files here.'), { code: 'no file system' }));
}
