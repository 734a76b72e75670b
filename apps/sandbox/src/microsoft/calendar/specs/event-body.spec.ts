import { bodyAs, previewOf } from '../event-body.js';

const text = (content: string) => bodyAs({ contentType: 'html', content }, 'text').content;

describe('HTML as text', () => {
  it.each([
    ['<!DOCTYPE html><p>a</p>\n<p>b &amp; c</p>', 'a\r\nb & c\r\n'],
    ['a<br/>b<script>x < 1</script><STYLE>p{}</STYLE> c', 'a\r\nb c\r\n'],
    ['&#65;&#x42;&unknown;&#99999999;', 'AB&unknown;&#99999999;\r\n'],
    ['<a href="https://x.example">x</a> <a name="y">y</a>', 'x<https://x.example> y\r\n'],
    ['1 < 2', '1 < 2\r\n'],
  ])('%j', (html, expected) => {
    expect(text(html)).toBe(expected);
  });

  it.each(['<head>', '<a', '<!--', ' ', '<', '&'])('is read in one pass of %j many times over', (piece) => {
    expect(text(piece.repeat(200_000)).length).toBeLessThanOrEqual(piece.length * 200_000 + 2);
    expect(previewOf({ contentType: 'text', content: `${piece.repeat(200_000)}x` }).length).toBe(255);
  });
});
