import { execFile } from 'node:child_process';
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { z } from 'zod';
import { eventually, PrometheusText, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { expectRefusal, expectSuccess } from '../expectations.js';
import { importAll, page, startKnowledge } from '../knowledge-system.js';
import { verifies } from '../verifies.js';
import { inProcess } from '../in-process.js';

const answer = z.object({
  citations: z.array(
    z.strictObject({ title: z.string(), url: z.string(), section: z.string().optional(), confidence: z.number().min(0).max(1) }),
  ),
  grounded: z.boolean(),
  retrieval_ms: z.number(),
  suggestion: z.string().optional(),
  fallback: z.array(z.string()).optional(),
});

const topics = ['payouts', 'requirements', 'account links', 'disputes', 'balances', 'verification'];
const collection = 'stripe-onboarding';

describe('citation_helper', () => {
  let system: System;
  let user: HttpCaller;
  /** Asks again, as a caller would, when a machine that was held up for the whole budget answered `search_error`. */
  const cite = async (params: object) => {
    const whole = async () => {
      const { envelope } = await user.call('citation_helper', params);
      return envelope.error?.native_code === 'search_error' ? null : envelope;
    };
    return answer.parse(expectSuccess(await eventually(whole, { what: 'a citation within its budget' })));
  };
  /** What is answered within 500 ms after an import is not trusted later: a search may have begun before it. */
  const cachedCitation = async (params: object) =>
    eventually(async () => (await user.call('citation_helper', params)).envelope.metadata.cache?.hit, { what: 'a cached citation' });

  beforeAll(async () => {
    system = await startKnowledge({ inProcess });
    user = await system.caller();
    await importAll(await system.admin(), collection, [
      {
        path: 'status.md',
        content: page(
          { title: 'Account status', type: 'public', source_url: 'https://docs.stripe.com/api/accounts' },
          'This page is about payouts_enabled and the account status.\n\n## payouts_enabled {#payouts-enabled}\n\n> **payouts_enabled.** Whether money can be sent.\n> **Key terms:** remittance, disbursement, 打款\n\nWhen payouts_enabled is false the account cannot receive money until requirements are met.',
        ),
      },
      {
        path: 'runbook.md',
        content: page(
          { title: 'Runbook', type: 'internal', repo_path: 'knowledge/stripe-onboarding/runbook.md' },
          topics
            .map(
              (topic) =>
                `## Relink for ${topic} {#relink-${topic.replace(' ', '-')}}\n\nGenerate a new onboarding link when ${topic} are stuck.`,
            )
            .join('\n\n'),
        ),
      },
      {
        path: 'inside.md',
        content: page(
          { title: 'Inside', source_url: 'http://10.0.0.5/x' },
          '## Secret escalation ladder\n\nThe escalation ladder is at https://wiki.corp.internal/x and 192.168.1.7.',
        ),
      },
      {
        path: 'wiki.md',
        content: page(
          { title: 'Wiki', source_url: 'https://wiki.corp.internal/x' },
          '## Escalation ladder two\n\nThe escalation ladder continues.',
        ),
      },
    ]);
  }, startTimeoutMs);
  afterAll(async () => system?.[Symbol.asyncDispose]());

  verifies(['ST-44', 'ST-45', 'ST-47'], 'cites runbook and documents, three by default, the most confident first', async () => {
    const { citations } = await cite({ claim: 'generate a new onboarding link when payouts are stuck and payouts_enabled is false' });
    expect(citations).toHaveLength(3);
    expect(citations.map(({ confidence }) => confidence)).toEqual(citations.map(({ confidence }) => confidence).toSorted((a, b) => b - a));
    const { citations: more } = await cite({
      claim: 'generate a new onboarding link when payouts are stuck and payouts_enabled is false',
      top_k: 10,
    });
    expect(more.some(({ url }) => url.startsWith('https://docs.stripe.com/'))).toBe(true);
    expect(more.some(({ url }) => url.startsWith('knowledge/stripe-onboarding/runbook.md#relink-'))).toBe(true);
    expect((await cite({ claim: 'relink for disputes', top_k: 1 })).citations).toHaveLength(1);
  });

  verifies(['ST-47', 'ST-48'], 'answers its own route flat, with a literal as the error', async () => {
    const reply = await user.post('/stripe/citation_helper', { claim: 'payouts_enabled' });
    expect([reply.status, Object.keys(z.looseObject({}).parse(reply.body)).toSorted()]).toEqual([
      200,
      ['citations', 'grounded', 'retrieval_ms', 'success'],
    ]);
    const refused = await user.post('/stripe/citation_helper', { claim: 'zzqxv wfjkd' });
    expect(refused.status).toBe(404);
    expect(refused.body).toMatchObject({
      success: false,
      error: 'no_evidence',
      grounded: false,
      fallback: ['express_dashboard', 'relink'],
    });
  });

  verifies(['ST-45'], 'refuses a missing claim and a wrong number before any search', async () => {
    for (const params of [{}, { claim: '' }, { claim: '  ' }, { claim: 5 }, { claim: 'x', top_k: 0 }, { claim: 'x', top_k: 1.5 }])
      expectRefusal(await user.call('citation_helper', params), { status: 400, code: 'INVALID_PARAMS', native: 'invalid_request' });
  });

  verifies(['ST-46'], 'finds by an exact code and by a synonym, and prefers the section to its page', async () => {
    const exact = await cite({ claim: 'payouts_enabled' });
    expect(exact.citations[0]).toMatchObject({ url: 'https://docs.stripe.com/api/accounts#payouts-enabled', section: 'payouts_enabled' });
    const pageAt = exact.citations.findIndex(({ url }) => url === 'https://docs.stripe.com/api/accounts');
    expect(pageAt === -1 || pageAt > 0).toBe(true);
    for (const claim of ['disbursement', '打款']) expect((await cite({ claim })).citations[0]?.url).toContain('#payouts-enabled');
  });

  verifies(['ST-48', 'ST-50'], 'says no_evidence where nothing speaks of the claim, and where to turn (C-43, C-44)', async () => {
    const refused = expectRefusal(await user.call('citation_helper', { claim: 'zzqxv wfjkd' }), {
      status: 404,
      code: 'RESOURCE_NOT_FOUND',
      native: 'no_evidence',
    });
    expect(refused.error).toMatchObject({ grounded: false, suggestion: 'refuse', fallback: ['express_dashboard', 'relink'] });
  });

  verifies(['ST-50'], 'is not grounded on weak evidence, which it lists', async () => {
    const { citations, grounded, suggestion, fallback } = await cite({
      claim: 'The football season of the northern league begins in late August and money is refunded for tickets bought online',
    });
    expect({ grounded, suggestion, fallback }).toEqual({
      grounded: false,
      suggestion: 'refuse',
      fallback: ['express_dashboard', 'relink'],
    });
    expect(citations.length).toBeGreaterThan(0);
    expect(await cite({ claim: 'payouts_enabled is false until requirements are met' })).toMatchObject({ grounded: true });
  });

  verifies(['ST-49'], 'answers again from the cache', async () => {
    const claim = { claim: 'relink for balances' };
    await cachedCitation(claim);
    for (let call = 0; call < 3; call++)
      expect((await user.call('citation_helper', { ...claim, request_id: `r${call}` })).envelope.metadata.cache?.hit).toBe(true);
  });

  verifies(['ST-44', 'ST-49'], 'cites what was imported a moment ago, though the claim was answered from the cache before', async () => {
    const claim = { claim: 'chargebacks are withdrawn from the balance' };
    await user.call('citation_helper', claim);
    await user.call('citation_helper', claim);
    await importAll(await system.admin(), collection, [
      {
        path: 'chargebacks.md',
        content: page(
          { title: 'Chargebacks', source_url: 'https://docs.stripe.com/c' },
          '## Chargebacks\n\nChargebacks are withdrawn from the balance.',
        ),
      },
    ]);
    expect((await cite(claim)).citations[0]?.title).toContain('Chargebacks');
  });

  verifies(['ST-44', 'ST-49'], 'cites what the command line imported a moment ago', async () => {
    const claim = { claim: 'dormant balances are escheated' };
    await cachedCitation(claim);
    using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-import-'));
    const facts = { title: 'Escheatment', source_url: 'https://docs.stripe.com/e' };
    writeFileSync(join(folder.path, 'escheatment.md'), page(facts, '## Escheatment\n\nDormant balances are escheated to the state.'));
    await promisify(execFile)(
      process.execPath,
      ['dist/apps/cli/src/main.js', 'import', 'knowledge', folder.path, '--collection', collection, '--tenant', system.tenant.id],
      { env: { ...process.env, INVOQ_NAMESPACE: system.namespace } },
    );
    expect((await cite(claim)).citations[0]?.title).toContain('Escheatment');
  });

  verifies(['ST-51'], 'counts citations by kind of document, with confidence and latency', async () => {
    await cite({ claim: 'generate a new onboarding link, payouts_enabled', top_k: 10 });
    const metrics = new PrometheusText((await (await system.admin()).at(system.worker.url).get('/metrics')).text);
    for (const doc_type of ['internal', 'stripe']) {
      expect(metrics.sum('invoq_citations_total', { doc_type })).toBeGreaterThan(0);
      expect(metrics.sum('invoq_citation_confidence_count', { doc_type })).toBeGreaterThan(0);
    }
    expect(metrics.sum('invoq_retrieval_seconds_count', { tool: 'citation_helper' })).toBeGreaterThan(0);
  });

  verifies(['ST-52'], 'gives no address of a private network away', async () => {
    const reply = await user.call('citation_helper', { claim: 'secret escalation ladder', top_k: 20 });
    expect(reply.text).not.toMatch(/10\.0\.0\.5|corp\.internal|192\.168/);
    const found = await user.call('search_knowledge', { query: 'escalation ladder', collection });
    expect(found.text).toContain('escalation ladder is at');
    expect(found.text).not.toMatch(/10\.0\.0\.5|corp\.internal|192\.168/);
  });
});
