import { html } from './html.js';

describe('html', () => {
  it('escapes values for text and for quoted attributes', () => {
    const value = `<b title='x' alt="y">&amp;</b>`;
    const escaped = '&lt;b title=&#39;x&#39; alt=&quot;y&quot;&gt;&amp;amp;&lt;/b&gt;';
    expect(html`<p id="${value}">${value}</p>`.text).toBe(`<p id="${escaped}">${escaped}</p>`);
  });

  it('puts markup into markup as it is, lists one after the other, and nothing for null', () => {
    const rows = ['a', '<'].map((name) => html`<li>${name}</li>`);
    expect(html`${rows}`.text).toBe('<li>a</li><li>&lt;</li>');
    expect(html`${rows[1] ?? null}${null}${3}`.text).toBe('<li>&lt;</li>3');
  });
});
