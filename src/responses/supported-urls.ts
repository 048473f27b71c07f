/** URLs that the API fetches itself, by media type. Hosts download all others. */
export const supportedUrls: Record<string, RegExp[]> = {
  'image/*': [/^https?:\/\/.*$/],
  'application/pdf': [/^https?:\/\/.*$/],
};
