// The protocol's own conformance suite, for each revision that it knows, against a whole gateway: credentials, checks of Host
// and Origin, body limits and all. The suite sends no credential, so a proxy adds one and changes nothing else.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as send, type Server } from 'node:http';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { startSystem, startTimeoutMs, type System } from '#lib/testing';

jest.setTimeout(180_000);

/** The suite that knows 2026-07-28 is a pre-release; the released one knows the revisions before. */
const suites = {
  released: 'node_modules/@modelcontextprotocol/conformance/dist/index.js',
  next: 'node_modules/conformance-next/dist/index.js',
} as const;

describe('conformance to the Model Context Protocol', () => {
  let system: System;
  let proxy: Server;
  let url: string;

  beforeAll(async () => {
    system = await startSystem({ mains: { gateway: 'dist/test/lab/mcp-gateway-main.js', worker: 'dist/apps/profile-worker/src/main.js' } });
    const authorization = `Bearer ${await system.tenant.key()}`;
    const { hostname, port } = new URL(system.gateway.url);
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
    await system?.[Symbol.asyncDispose]();
  });

  // Exceptions are named in these files, each with its reason. One that passes fails the run, so that it is taken off the list.
  test.each([
    ['2025-06-18', suites.released, ['--spec-version', '2025-06-18', '--expected-failures', 'test/e2e/data/mcp-2025.yml']],
    ['2025-11-25, the released suite', suites.released, ['--expected-failures', 'test/e2e/data/mcp-2025.yml']],
    ['2025-11-25, what it requires', suites.next, ['--requirements', '2025-11-25', '--expected-failures', 'test/e2e/data/mcp-2025.yml']],
    ['2026-07-28, what it requires', suites.next, ['--requirements', '2026-07-28', '--expected-failures', 'test/e2e/data/mcp-2026.yml']],
  ])('in %s', async (_revision, suite, args) => {
    const run = promisify(execFile)(process.execPath, [suite, 'server', '--url', url, ...args], {
      maxBuffer: 32 * 1024 * 1024,
      timeout: 150_000,
    });
    const { code, output } = await run.then(
      ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
      (error: { code?: unknown; stdout?: string; stderr?: string }) => ({
        code: error.code,
        output: `${error.stdout ?? ''}${error.stderr ?? ''}`,
      }),
    );
    expect({ code, output: code === 0 ? '' : output.slice(-6_000) }).toEqual({ code: 0, output: '' });
  });
});
