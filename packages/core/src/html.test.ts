import { html } from './html.ts';

test('values are escaped wherever they stand, markup is not escaped twice', () => {
  const hostile = `"><script>alert('1')</script>&amp;`;
  const escaped = '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;';
  expect(html`<p title="${hostile}">${hostile}</p>`.markup).toBe(`<p title="${escaped}">${escaped}</p>`);
  expect(html`<ul>${[html`<li>${'<'}</li>`, html`<li>2</li>`]}</ul>`.markup).toBe('<ul><li>&lt;</li><li>2</li></ul>');
});

test('null and false are nothing, zero is a number, and a template keeps its own characters', () => {
  expect(html`${null}${false}${0}${''}\n`.markup).toBe('0\n');
});
