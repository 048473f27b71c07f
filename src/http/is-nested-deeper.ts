/**
 * Whether JSON text has more arrays and objects in each other than `limit`. Looks at the text, for parsing alone costs
 * dozens of bytes for every bracket.
 */
export function isNestedDeeper(json: string, limit: number): boolean {
  if (json.length <= limit) return false;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    switch (json[at]) {
      case '"':
        at = endOfString(json, at + 1);
        break;
      case '[':
      case '{':
        if (++depth > limit) return true;
        break;
      case ']':
      case '}':
        depth--;
        break;
    }
  }
  return false;
}

/** The place of the quotation mark that ends a string. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start); end >= 0; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (end - backslashes > start && json[end - backslashes - 1] === '\\') backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}
