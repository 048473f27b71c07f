import { type CodeQuestion, toFileMark } from './question.js';

export interface CurlOptions {
  readonly url: string;
  readonly body: unknown;
  readonly question: CodeQuestion;
  readonly hasKey: boolean;
  /** True if the URL has a query, which may contain a key. */
  readonly hasQuery: boolean;
}

/** Writes a request as a command of curl. Files are read from the working folder. */
export function toCurl({ url, body, question: { files }, hasKey, hasQuery }: CurlOptions): string {
  const json = JSON.stringify(body, null, 2);
  const lines = [
    `curl -N ${hasQuery ? '"$RESPONSES_URL"' : quote(url)}`,
    ...(hasKey ? ['-H "Authorization: Bearer $OPENAI_API_KEY"'] : []),
    "-H 'Content-Type: application/json'",
  ];
  const command = lines.join(' \\\n  ');
  if (files.length === 0) return `${command} \\\n  --data-binary @- <<'JSON'\n${json}\nJSON\n`;
  // The shell replaces the commands in the text, and nothing else.
  const escaped = json.replace(/[\\$`]/g, '\\$&');
  const text = files.reduce(
    (rest, { filename }, index) =>
      rest.replaceAll(toFileMark(index), () => `$(base64 < ${quote(filename)} | tr -d '\\n')`),
    escaped,
  );
  return `${command} \\\n  --data-binary @- <<JSON\n${text}\nJSON\n`;
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
