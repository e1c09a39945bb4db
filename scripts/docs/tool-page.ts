// The page of one tool, from its contract alone.
import { errorCodes, retryRule, toDefinition, type RetryableKind, type ToolContract, type ToolDefinition } from '#lib/contracts';
import { cellsOf, fieldRows } from './field-rows.js';
import { block, code, plain, tableOf, type Page } from './page.js';
import { sampleLanguages, sampleOf } from './tool-samples.js';
import { english, type ToolWords } from './tool-words.js';

const kinds: readonly RetryableKind[] = ['network', 'timeout', 'rate-limit', 'service'];
/** Codes that every tool may answer with, explained once on the page of all codes. */
const ofEveryTool = '/docs/reference/errors/';

/** @param words headings, and the title, description and meanings of parameters where they are translated */
export function toolPage(contract: ToolContract, words: ToolWords = english): Page {
  const definition = toDefinition(contract);
  const { name } = definition;
  const title = words.titles[name] ?? definition.title;
  const description = words.descriptions[name] ?? definition.description;
  const sections = [
    `${code(name)} — ${plain(description)}`,
    `[${words.tryIt}](/console/tools/${name})`,
    factsOf(contract, definition, words),
    `## ${words.parameters}`,
    parameterTable(definition, words),
    `## ${words.result}`,
    resultTable(definition, words),
    `## ${words.errors}`,
    errorTable(contract, words),
    `## ${words.retries}`,
    retryTable(contract, words),
    `## ${words.examples}`,
    ...sampleLanguages.map((way) => {
      const { language, text } = sampleOf(way, name, contract.examples[0]?.input);
      return `### ${way}\n\n${block(language, text)}`;
    }),
    `### ${words.data}`,
    block('json', JSON.stringify(contract.examples[0]?.output, null, 2)),
    ...changesOf(definition, words),
  ];
  return {
    slug: `${words.prefix}reference/tools/${name}`,
    title: `${title} (${name})`,
    description,
    body: sections.filter(Boolean).join('\n\n'),
  };
}

function factsOf(contract: ToolContract, definition: ToolDefinition, words: ToolWords): string {
  const { yes, no, facts } = words;
  const rows = [
    [facts.version, definition.version],
    [facts.domain, code(definition.domain)],
    ...(definition.aliases.length > 0 ? [[facts.aliases, definition.aliases.map(code).join(', ')]] : []),
    [facts.effect, definition.read_only ? facts.reads : facts.writes],
    [facts.scopes, definition.scopes.map(code).join(', ')],
    [facts.repeatable, definition.idempotent ? yes : no],
    [facts.cache, definition.cache_ttl === undefined ? no : `${definition.cache_ttl} s`],
    [facts.time, secondsOf(definition.timeout_ms)],
    [facts.attempts, String(definition.max_attempts)],
    [facts.wait, secondsOf(definition.deadline_ms)],
    [facts.streams, definition.streaming ? yes : no],
    ...(contract.source ? [[facts.native, code(`POST /${contract.source}/${definition.name}`)]] : []),
  ];
  return tableOf([words.property, words.value], rows);
}

function secondsOf(ms: number): string {
  return `${ms / 1_000} s`;
}

function parameterTable(definition: ToolDefinition, words: ToolWords): string {
  const rows = fieldRows(definition.parameters).map((row) => {
    const [field, type, meaning] = cellsOf({ ...row, description: words.parameterOf(definition.name, row.path) ?? row.description });
    return [field, type, row.isRequired ? words.yes : words.no, meaning];
  });
  return rows.length === 0 ? words.none : tableOf([words.name, words.type, words.required, words.meaning], rows);
}

function resultTable(definition: ToolDefinition, words: ToolWords): string {
  const rows = fieldRows(definition.output_schema).map(cellsOf);
  return rows.length === 0 ? words.none : tableOf([words.name, words.type, words.meaning], rows);
}

function errorTable({ errors, advice = {} }: ToolContract, words: ToolWords): string {
  const rows = Object.entries(errors).map(([literal, family]) => {
    const { http, retryable, advice: hint } = errorCodes[family];
    return [code(literal), code(family), String(http), retryable ? words.yes : words.no, plain(advice[literal]?.suggestion ?? hint)];
  });
  const table = rows.length > 0 ? tableOf([words.error, words.family, 'HTTP', words.retryable, words.whatToDo], rows) : '';
  return [table, `${words.commonErrors} [${words.allCodes}](${ofEveryTool}).`].filter(Boolean).join('\n\n');
}

function retryTable(contract: ToolContract, words: ToolWords): string {
  const rows = kinds.flatMap((kind) => {
    const rule = retryRule(contract, kind);
    return rule ? [[code(kind), String(rule.times), `${rule.baseMs} ms`, `× ${rule.factor}`, `≤ ${rule.maxMs} ms`]] : [];
  });
  return rows.length === 0 ? words.noRetries : tableOf([words.failure, words.times, words.firstDelay, words.factor, words.longest], rows);
}

function changesOf({ changelog }: ToolDefinition, words: ToolWords): readonly string[] {
  if (!changelog) return [];
  return [
    `## ${words.versions}`,
    Object.entries(changelog)
      .map(([version, text]) => `- **${version}**: ${plain(text)}`)
      .join('\n'),
  ];
}
