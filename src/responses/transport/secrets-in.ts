/** Headers whose values are secrets. */
const SECRET_HEADERS =
  /^(authorization|api-key|x-api-key|x-goog-api-key|ocp-apim-subscription-key|cookie|proxy-authorization)$/i;

/** The values in headers that must not appear in an error, whole and without their scheme (`Bearer`). */
export const secretsIn = (headers: Readonly<Record<string, string | undefined>>): string[] =>
  Object.entries(headers)
    .filter(([name]) => SECRET_HEADERS.test(name))
    .flatMap(([, value = '']) => [value, value.replace(/^\w+ /, '')])
    // A shorter one would be found all over an innocent text.
    .filter(value => value.length >= 4);
