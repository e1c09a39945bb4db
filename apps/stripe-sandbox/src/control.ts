// The control door for tests, `/_sandbox/…`: injects faults, changes settings and shows the ledger. JSON, without a key; the server
// listens on the loopback interface only.
import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { accountOf, type Account } from './accounts.js';
import { faultSchema, type Faults } from './faults.js';
import type { ApiKeys } from './api-keys.js';
import type { Ledger } from './ledger.js';

/** The parts of the sandbox that can be changed from outside. */
interface ControlTarget {
  readonly accounts: Map<string, Account>;
  readonly faults: Faults;
  readonly keys: ApiKeys;
  readonly ledger: Ledger;
  marker: string;
  latencyMs: number;
  readonly reset: () => void;
}

const list = z.array(z.string()).default([]);
const accountInput = z.strictObject({
  id: z.string().regex(/^acct_[A-Za-z0-9]+$/),
  type: z.enum(['express', 'standard']).default('express'),
  enabled: z.boolean().default(true),
  due: z.strictObject({ currently: list, past: list, eventually: list }).partial().default({}),
});
const settings = z.strictObject({ marker: z.string(), latency_ms: z.int().min(0).max(60_000) }).partial();
const keyInput = z.strictObject({ key: z.string(), grant: z.enum(['read', 'write', 'none']) });

interface ControlRequest {
  readonly method: string;
  readonly path: string;
  readonly text: string;
}

/** Routes: `GET ledger`, `POST faults`, `DELETE faults`, `POST reset`, `POST settings`, `POST keys`, `POST accounts`. */
export function control(sandbox: ControlTarget, { method, path, text }: ControlRequest, response: ServerResponse): void {
  const answer = (status: number, body: object) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  try {
    switch (`${method} ${path.slice('/_sandbox/'.length)}`) {
      case 'GET ledger':
        return answer(200, { calls: sandbox.ledger.calls, links: sandbox.ledger.links });
      case 'POST faults':
        sandbox.faults.add(faultSchema.parse(JSON.parse(text)));
        return answer(200, {});
      case 'DELETE faults':
        sandbox.faults.clear();
        return answer(200, {});
      case 'POST reset':
        sandbox.reset();
        return answer(200, {});
      case 'POST settings': {
        const { marker, latency_ms: latencyMs } = settings.parse(JSON.parse(text));
        sandbox.marker = marker ?? sandbox.marker;
        sandbox.latencyMs = latencyMs ?? sandbox.latencyMs;
        return answer(200, {});
      }
      case 'POST keys': {
        const { key, grant } = keyInput.parse(JSON.parse(text));
        if (grant === 'none') sandbox.keys.revoke(key);
        else sandbox.keys.grant(key, grant);
        return answer(200, {});
      }
      case 'POST accounts': {
        const account = accountOf(accountInput.parse(JSON.parse(text)));
        sandbox.accounts.set(account.id, account);
        return answer(200, account);
      }
      default:
        return answer(404, { error: `there is no ${method} ${path}` });
    }
  } catch (error) {
    answer(400, { error: error instanceof z.ZodError ? z.prettifyError(error) : String(error) });
  }
}
