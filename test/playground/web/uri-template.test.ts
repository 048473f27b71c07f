import { expect, it } from 'vitest';
import { expandTemplate, readVariables } from '../../../playground/web/mcp/uri-template.js';

/** From the examples of RFC 6570. https://www.rfc-editor.org/rfc/rfc6570#section-3.2 */
const values = {
  var: 'value',
  hello: 'Hello World!',
  path: '/foo/bar',
  empty: '',
  x: '1024',
  y: '768',
  half: '50%',
};

it.each([
  ['{var}', 'value'],
  ['{hello}', 'Hello%20World!'],
  ['{half}', '50%25'],
  ['O{empty}X', 'OX'],
  ['map?{x,y}', 'map?1024,768'],
  ['{+hello}', 'Hello%20World!'],
  ['{+path}/here', '/foo/bar/here'],
  ['{path}/here', '%2Ffoo%2Fbar/here'],
  ['{#path,x}', '#/foo/bar,1024'],
  ['X{.var}', 'X.value'],
  ['{/var,x}/here', '/value/1024/here'],
  ['{;x,y}', ';x=1024;y=768'],
  ['{?x,y}', '?x=1024&y=768'],
  ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
  ['{/path*}', '/%2Ffoo%2Fbar'],
  ['demo://{undefined}', 'demo://'],
])('expands %s to %s', (template, expanded) => {
  expect(expandTemplate(template, values)).toBe(expanded);
});

it('reads the names of variables, each once', () => {
  expect(readVariables('a/{x}{?x,y*,var:3}')).toEqual(['x', 'y', 'var']);
  expect(readVariables('demo://fixed')).toEqual([]);
});
