// Gives for each definition of a tool what a strict checker says of it, and for some, from the first to the last, an input that it takes.
import { readFileSync, writeFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { generate } from 'json-schema-faker';

const { file, out, most } = JSON.parse(process.env.WORLD_TASK);
/** Inputs of one tool that are tried until one fits: those of a generator may miss a rule between fields. */
const tries = 6;

const tools = JSON.parse(readFileSync(file, 'utf8'));
const count = Math.min(most, tools.length);
const called = new Set(Array.from({ length: count }, (_, n) => tools[Math.floor((n * tools.length) / count)].name));

const results = [];
for (const { name, parameters } of tools) {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, strictTuples: false, allErrors: true });
  addFormats.default(ajv);
  let check;
  try {
    check = ajv.compile(parameters);
  } catch (error) {
    results.push({ name, fault: error.message, isCalled: called.has(name), input: null });
    continue;
  }
  let input = null;
  for (let seed = 1; called.has(name) && seed <= tries && input === null; seed++) {
    const made = await generate(withBody(parameters), {
      seed,
      alwaysFakeOptionals: seed <= tries / 2,
      maxDepth: 4,
      maxItems: 2,
      minLength: 1,
      maxLength: 40,
    }).catch(() => null);
    const sent = withMediaTypes(made);
    if (sent !== null && check(sent)) input = sent;
  }
  results.push({ name, fault: null, isCalled: called.has(name), input });
}
writeFileSync(out, JSON.stringify(results));
console.log(`${results.length} definitions`);

/** A body is given wherever there is one: the checker refuses a request without, also where its document does not ask for it. */
function withBody(parameters) {
  if (parameters.properties?.body === undefined) return parameters;
  return { ...parameters, required: [...new Set([...(parameters.required ?? []), 'body'])] };
}

/** A file says what it is, which its schema leaves to a sentence. */
function withMediaTypes(part) {
  if (Array.isArray(part)) return part.map(withMediaTypes);
  if (typeof part !== 'object' || part === null) return part;
  const copy = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, withMediaTypes(value)]));
  return typeof copy.base64 === 'string' && 'mime_type' in copy ? { ...copy, mime_type: 'image/png' } : copy;
}
