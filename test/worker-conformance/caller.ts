// What the caller of a case does.
import { until, type Bench, type Started } from './bench.js';
import { fieldOf, hold, same } from './check.js';

/** The caller has an account with this key. */
export async function connects({ system, user }: Bench, key: string): Promise<void> {
  const admin = await system.caller({ userId: null, scopes: ['tenant:admin'] });
  const made = await admin.request('/providers/conformance', { method: 'PUT', json: { api_key: true } });
  hold(made.status < 300, 'the provider cannot be set up');
  const begun = await user.post('/connections', { provider: 'conformance' });
  const { pathname } = new URL(String(fieldOf(begun.body, 'url')));
  same((await user.post(pathname, { api_key: key })).status, 200, 'the status of the key');
}

/** The caller is asked, and answers. */
export async function says({ user }: Bench, { jobId }: Started, decision: object): Promise<void> {
  const request = await until('the question', async () => fieldOf((await user.get(`/jobs/${jobId}`)).body, 'rest', 'input_request'));
  const { status, body } = await user.get(`/input-requests/${String(request)}`);
  same([status, fieldOf(body, 'kind'), fieldOf(body, 'message')], [200, 'question', 'Which number?'], 'what the caller is asked');
  same((await user.post(`/input-requests/${String(request)}`, decision)).status, 200, 'the status of the answer');
}
