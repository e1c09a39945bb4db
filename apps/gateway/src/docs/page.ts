import { toDefinition, type JsonSchema, type ToolContract } from '#lib/contracts';

/** Escapes a text for HTML. Definitions of outside servers may hold anything. */
function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');
}

const style = `
:root{color-scheme:light dark;--line:color-mix(in srgb,currentColor 18%,transparent);--dim:color-mix(in srgb,currentColor 65%,transparent)}
*{box-sizing:border-box}body{font:16px/1.5 system-ui,sans-serif;margin:0;display:grid;grid-template-columns:16rem minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1rem;border-right:1px solid var(--line)}nav a{display:block;text-decoration:none;padding:.15rem 0}
main{padding:1rem 2rem 4rem;max-width:60rem}section{border-top:1px solid var(--line);padding:1rem 0}h2{margin:.5rem 0}
code,pre{font:14px/1.45 ui-monospace,monospace}pre{overflow:auto;border:1px solid var(--line);border-radius:6px;padding:.75rem}
table{border-collapse:collapse;width:100%;font-size:15px}th,td{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0;border-bottom:1px solid var(--line)}
small{color:var(--dim)}@media(max-width:50rem){body{display:block}nav{position:static;height:auto;border:0}main{padding:1rem}}`;

/** An HTML page of all tools, without a script: description, parameters, result, errors, and a call to paste into a shell. */
export function docsPage(contracts: readonly ToolContract[]): string {
  const links = contracts.map(({ name }) => `<a href="#${escapeHtml(name)}"><code>${escapeHtml(name)}</code></a>`);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Invoq tools</title><style>${style}</style></head><body>
<nav aria-label="Tools"><strong>Invoq</strong>${links.join('')}</nav>
<main><h1>Tools</h1><p>${contracts.length} tools, each on every door: JSON, event stream, batch, jobs, MCP.
<a href="openapi.json">OpenAPI 3.1</a> · <a href="tools?format=openai">OpenAI</a> · <a href="tools?format=anthropic">Anthropic</a> · <a href="tools?format=mcp">MCP</a></p>
${contracts.map(toolSection).join('\n')}</main></body></html>`;
}

function toolSection(contract: ToolContract): string {
  const definition = toDefinition(contract);
  const [example] = contract.examples;
  const facts = [
    `version ${definition.version}`,
    definition.domain,
    definition.read_only ? 'reads' : 'changes something',
    definition.cacheable ? `cached ${definition.cache_ttl} s` : '',
    `${definition.timeout_ms} ms an attempt, ${definition.max_attempts} at most`,
  ].filter(Boolean);
  const errors = Object.entries(definition.errors).map(([literal, code]) => `${literal} (${code})`);
  return `<section id="${escapeHtml(definition.name)}"><h2><code>${escapeHtml(definition.name)}</code> <small>${escapeHtml(definition.title)}</small></h2>
<p>${escapeHtml(definition.description)}</p><p><small>${escapeHtml(facts.join(' · '))}</small></p>
<h3>Parameters</h3>${fieldTable(definition.parameters)}<h3>Data</h3>${fieldTable(definition.output_schema)}
${errors.length > 0 ? `<p>Errors of its own: ${escapeHtml(errors.join(', '))}.</p>` : ''}
<pre>curl -s $INVOQ_URL/tools/${escapeHtml(definition.name)} -H "Authorization: Bearer $INVOQ_API_KEY" \\
  -H 'Content-Type: application/json' -d '${escapeHtml(JSON.stringify(example.input))}'</pre></section>`;
}

function fieldTable({ properties = {}, required = [] }: JsonSchema): string {
  const rows = Object.entries(properties).map(
    ([name, schema]) =>
      `<tr><td><code>${escapeHtml(name)}</code>${required.includes(name) ? '' : ' <small>optional</small>'}</td><td>${escapeHtml(typeOf(schema))}</td><td>${escapeHtml(schema.description ?? '')}</td></tr>`,
  );
  if (rows.length === 0) return '<p><small>None.</small></p>';
  return `<table><thead><tr><th>Name</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function typeOf(schema: JsonSchema): string {
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return options.map(typeOf).join(' | ');
  if (schema.items) return `${typeOf(schema.items)}[]`;
  return [schema.type ?? 'any'].flat().join(' | ');
}
