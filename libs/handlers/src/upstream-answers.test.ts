import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { UpstreamAnswers, shownBody } from './upstream-answers.js';

describe('what upstreams answered', () => {
  test('is kept for those who asked alone; the last answer stands apart from those before it', () => {
    const silent = new UpstreamAnswers(false);
    silent.add({ api: 'GET /a', status: 200, body: {} });
    expect(silent.shown()).toEqual({});
    const answers = new UpstreamAnswers(true);
    for (let n = 1; n <= 7; n++) answers.add({ api: `GET /${n}`, status: 200, body: { n } });
    expect(answers.shown()).toEqual({
      internal_api_response: { api: 'GET /7', status: 200, body: { n: 7 } },
      earlier_api_responses: [3, 4, 5, 6].map((n) => ({ api: `GET /${n}`, status: 200, body: { n } })),
    });
  });

  test.each([
    [{ access_token: 'abc', apiKey: 'k', password: 'p', user: { e_mail: 'x', email: 'y', phone_number: 1 } }, /abc|"k"|"p"|"x"|"y"|1}/],
    ['write to jane.doe+x@example.co.uk now', /jane/],
    ['Authorization: Bearer abc.def-ghi', /abc/],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', /eyJ/],
    ['your key rk_live_51Habcdefgh is wrong', /51H/],
    ['see https://connect.stripe.com/setup/s/x?code=once#f', /once/],
    ['call 13800138000 or +1 (415) 555-2671', /138|555/],
    ['身份证 11010519491231002X', /19491231/],
  ])('masks secrets and people: %j', (body, leak) => {
    expect(JSON.stringify(shownBody(body))).toContain('[redacted]');
    expect(JSON.stringify(shownBody(body))).not.toMatch(leak);
  });

  test('keeps what is neither', () => {
    const body = { results: [{ name: 'Beijing', latitude: 39.9, token_count: 12, verified: true, none: null }], elapsed: '3 ms' };
    expect(shownBody(body)).toEqual(body);
  });

  test('is bounded and JSON, whatever it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        const text = JSON.stringify(shownBody(body)) ?? 'null';
        expect(text.length).toBeLessThanOrEqual(20_000);
        expect(() => JSON.parse(text) as unknown).not.toThrow();
      }),
    );
    const large = shownBody({ rows: Array.from({ length: 20 }, () => ({ text: 'x'.repeat(5_000) })) });
    expect(JSON.stringify(large).length).toBeLessThanOrEqual(20_000);
    expect(shownBody('😀'.repeat(5_000))).toMatch(/…$/);
  });
});
