import { escaped } from '../../inputs/decision-page.js';

export interface PageContent {
  readonly title: string;
  readonly lines: readonly string[];
  /** What the page sends to its own address when its button is pressed; none for a page that only tells. */
  readonly form?: { readonly button: string; readonly keyLabel?: string | undefined } | undefined;
}

/** A page for somebody who connects an account. */
export function connectionPage({ title, lines, form }: PageContent, nonce: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><meta name="robots" content="noindex">
    <title>${escaped(title)}</title>
    <style nonce="${nonce}">body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}button,input{font:inherit;min-height:2.75rem;padding:.5rem 1.25rem}input{width:100%;box-sizing:border-box}</style>
  </head>
  <body>
    <h1>${escaped(title)}</h1>
    ${lines.map((line) => `<p>${escaped(line)}</p>`).join('\n    ')}
    <p id="state" role="status"></p>
    ${form ? formOf(form, nonce) : ''}
  </body>
</html>
`;
}

function formOf({ button, keyLabel }: NonNullable<PageContent['form']>, nonce: string): string {
  const input =
    keyLabel === undefined
      ? ''
      : `<p><label>${escaped(keyLabel)} <input id="key" type="password" autocomplete="off" spellcheck="false" maxlength="4096" required></label></p>`;
  return `<form id="form">${input}<p><button type="submit">${escaped(button)}</button></p></form>
    <script nonce="${nonce}">
      const [form, state, key] = ['form', 'state', 'key'].map((id) => document.getElementById(id));
      form.addEventListener('submit', async (event) => {
        event.preventDefault();
        try {
          const body = JSON.stringify(key ? { api_key: key.value } : {});
          const answer = await fetch(location.href, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
          const said = await answer.json();
          if (answer.ok && said.location) return location.assign(said.location);
          form.hidden = answer.ok;
          state.textContent = answer.ok ? said.message : said.error.message;
        } catch {
          state.textContent = 'It could not be sent. Try again.';
        }
      });
    </script>`;
}
