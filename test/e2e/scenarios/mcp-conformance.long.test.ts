// The protocol's own conformance suite, for each revision that it knows, against a whole gateway: credentials, checks of Host
// and Origin, body limits and all. The suite sends no credential, so a proxy adds one and changes nothing else.
import { once } from 'node:events';
import { createServer, request as send, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { startTimeoutMs } from '#lib/testing';
import { startLabSystem, type LabSystem } from '../lab-system.js';
import { comparedPage } from '../mcp-suites/page.js';
import { runSuite, suites } from '../mcp-suites/suite.js';

jest.setTimeout(180_000);

/** Why a scenario does not pass. None of these counts for the revision. */
const noFixture = 'an extension. The suite wants tools of its own, which no tool of Invoq is like';
const reasons = {
  'http-custom-header-server-validation': 'no tool of Invoq has parameters that are headers too',
  'server-sse-polling': 'answers come on the stream of their request, which is not left before its end',
  'tasks-dispatch-and-envelope': noFixture,
  'tasks-lifecycle': noFixture,
  'tasks-mrtr-composition': noFixture,
  'tasks-mrtr-input': noFixture,
  'tasks-required-task-error': 'an extension. Every tool answers clients without tasks too',
};

describe('conformance to the Model Context Protocol', () => {
  /** With a list of exceptions, even an empty one, the suites fail on warnings too. */
  const server = (): string[] => ['server', '--url', url, '--expected-failures', 'test/e2e/data/mcp-exceptions.yml'];
  let lab: LabSystem;
  let proxy: Server;
  let url: string;

  beforeAll(async () => {
    lab = await startLabSystem({ mains: { gateway: 'dist/test/lab/mcp-gateway-main.js', worker: 'dist/test/lab/lab-worker-main.js' } });
    const authorization = `Bearer ${await lab.system.tenant.key()}`;
    const { hostname, port } = new URL(lab.system.gateway.url);
    proxy = createServer((request, response) => {
      const { method, url: path, headers } = request;
      const onward = send({ hostname, port, method, path, headers: { ...headers, authorization } }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      onward.on('error', () => response.destroy());
      response.on('close', () => onward.destroy());
      request.pipe(onward);
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const address = proxy.address();
    url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/mcp`;
  }, startTimeoutMs);
  afterAll(async () => {
    proxy?.closeAllConnections();
    proxy?.close();
    await lab?.[Symbol.asyncDispose]();
  });

  test.each([
    ['2025-06-18', ['--spec-version', '2025-06-18']],
    ['2025-11-25', []],
  ])('in %s, as the released suite has it', async (_revision, args) => {
    const { code, output } = await runSuite(suites.released, [...server(), ...args]);
    expect({ code, output: code === 0 ? '' : output.slice(-6_000) }).toEqual({ code: 0, output: '' });
  });

  test('in what each revision requires, and in extensions, is what the page says', async () => {
    const runs = new Map<string, ReadonlyMap<string, readonly string[]>>();
    for (const revision of ['2025-11-25', '2026-07-28']) {
      const { code, output, faults } = await runSuite(suites.next, [...server(), '--requirements', revision]);
      expect({ code, output: code === 0 ? '' : output.slice(-6_000) }).toEqual({ code: 0, output: '' });
      runs.set(revision, faults);
    }
    const { is, should } = comparedPage({ role: 'server', runs, reasons });
    expect(is).toBe(should);
  });
});
