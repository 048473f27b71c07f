/** What the API fetches itself, by media type. Hosts download the rest. */
export const supportedUrls: Record<string, RegExp[]> = {
  'image/*': [/^https?:\/\/.*$/],
  'application/pdf': [/^https?:\/\/.*$/],
};
