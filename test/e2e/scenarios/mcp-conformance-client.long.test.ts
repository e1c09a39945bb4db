// The protocol's own conformance suite against the product as a client: a gateway, a worker, an administrator and a user of theirs.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { startTimeoutMs } from '#lib/testing';
import { comparedPage } from '../mcp-suites/page.js';
import { ProductAsClient } from '../mcp-suites/product-as-client.js';
import { runSuite, suites } from '../mcp-suites/suite.js';

jest.setTimeout(400_000);

const ofUsers = 'an extension. Invoq acts with accounts that users have connected, by the code flow';
const noProof = 'an extension. Invoq sends bearer tokens alone';
/** Why a scenario does not pass. */
const reasons = {
  'auth/client-credentials-basic': ofUsers,
  'auth/client-credentials-jwt': ofUsers,
  'auth/enterprise-managed-authorization': ofUsers,
  'auth/wif-jwt-bearer': ofUsers,
  'auth/dpop': noProof,
  'auth/dpop-nonce': noProof,
  'json-schema-2020-12-preservation':
    'came after the release. Schemas are published in the words of 2020-12, whatever their draft, so `$schema` is left out, and references lead to `$defs`, not to `$anchor`',
};

describe('conformance to the Model Context Protocol, as a client', () => {
  let product: ProductAsClient;
  const client = async (...args: readonly string[]) =>
    runSuite(suites.next, ['client', '--command', product.command, '--timeout', '100000', ...args]);
  beforeAll(async () => {
    product = await ProductAsClient.start();
  }, startTimeoutMs);
  afterAll(async () => product?.[Symbol.asyncDispose]());

  test('is what the page says', async () => {
    const runs = new Map<string, ReadonlyMap<string, readonly string[]>>();
    for (const revision of ['2025-11-25', '2026-07-28']) {
      const { faults } = await client('--requirements', revision);
      // It measures times, and all scenarios run at once before.
      const { faults: alone } = faults.has('sse-retry') ? await client('--scenario', 'sse-retry', '--spec-version', revision) : { faults };
      runs.set(revision, new Map([...faults, ...alone]));
    }
    const { is, should } = comparedPage({ role: 'client', runs, reasons });
    expect(is).toBe(should);
  });
});
