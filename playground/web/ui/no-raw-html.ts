/** Replaces `rehype-raw` in the bundle: HTML in Markdown is shown as text, so nothing parses it. */
export default function leaveRawHtml(): undefined {
  return undefined;
}
