import type { InputRequest } from '#lib/contracts';

const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Nothing from elsewhere, and no frame around it: a page that covers it could have its buttons pressed. */
export function policyOfPage(nonce: string): string {
  return `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

/** The page of a link: what is asked, and two buttons as long as nobody has decided. */
export function decisionPage(request: InputRequest, nonce: string): string {
  const { tool_name: tool, message, state, requested_by: by, expires_at: expiresAt } = request;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><meta name="robots" content="noindex">
    <title>${escaped(tool)}: approve?</title>
    <style nonce="${nonce}">body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:2rem auto;padding:0 1rem}pre{overflow:auto;border:1px solid;border-radius:.4rem;padding:.75rem;white-space:pre-wrap;overflow-wrap:anywhere}button{font:inherit;min-height:2.75rem;padding:.5rem 1.25rem;margin-right:.5rem}textarea{font:inherit;width:100%;box-sizing:border-box}</style>
  </head>
  <body>
    <h1>${escaped(message)}</h1>
    <p><strong>${escaped(tool)}</strong>, called by ${escaped(by)}</p>
    <pre>${escaped(JSON.stringify(request.arguments, null, 2) ?? '')}</pre>
    <p id="state" role="status">${escaped(state === 'open' ? `Open until ${expiresAt}` : told(request))}</p>
    ${state === 'open' ? form(nonce) : ''}
  </body>
</html>
`;
}

function form(nonce: string): string {
  return `<p><label>Reason <textarea id="reason" rows="2" maxlength="1000"></textarea></label></p>
    <p id="buttons"><button type="button" data-action="accept">Approve</button><button type="button" data-action="decline">Decline</button></p>
    <script nonce="${nonce}">
      const state = document.getElementById('state');
      const buttons = document.getElementById('buttons');
      buttons.addEventListener('click', async ({ target: { dataset: { action } } }) => {
        if (!action) return;
        buttons.hidden = true;
        try {
          const reason = document.getElementById('reason').value.trim();
          const answer = await fetch(location.href, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ action, ...(reason && { reason }) }) });
          const said = await answer.json();
          state.textContent = answer.ok ? (action === 'accept' ? 'Approved' : 'Declined') : said.error.message;
          if (answer.status >= 500) buttons.hidden = false;
        } catch {
          state.textContent = 'It could not be sent. Try again.';
          buttons.hidden = false;
        }
      });
    </script>`;
}

function told({ state, decided_by: by, decided_at: at, reason }: InputRequest): string {
  return [`This is ${state}`, by !== null && `by ${by}`, at !== null && `at ${at}`, reason !== null && `(${reason})`]
    .filter(Boolean)
    .join(' ');
}

export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (mark) => marks[mark] ?? mark);
}
