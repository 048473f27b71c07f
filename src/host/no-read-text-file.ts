/**
 * Replaces `read-text-file.js` in browser bundles, through the field `browser` of package.json.
 *
 * @throws Error always.
 */
export function readTextFile(): Promise<string> {
  return Promise.reject(
    new Error(
      'Reading files is not supported in this runtime. Pass a parsed configuration to createProviderRegistryFromConfig().',
    ),
  );
}
