import { expect, test } from '@jest/globals';
import { check } from './checker/check.js';
import { audit, fault, history } from './checker/synthetic.js';
import { report } from './report.js';
import { resultsOf, withResults } from './write-results.js';

const faults = [fault(), fault({ healedAt: 3_050, hit: 40, recoveryMs: 1_500 })];
const skipped = [{ id: 'F34', title: 'a full disk', why: 'nothing may be mounted' }];
const outcome = { verdict: check(history({ faults })), faults, skipped };
const facts = {
  seed: 7,
  elapsedMs: 3_600_000,
  shownByTests: [{ id: 'F24', title: 'bombs', tests: ['test/e2e/scenarios/bad-input.test.ts'] }],
};

test('the results name the command, every fault, what was skipped, and the tests', () => {
  const text = resultsOf(outcome, facts).join('\n');
  expect(text).toMatch(/^`npm run chaos -- --all --seed 7` on \d{4}-\d\d-\d\d: 60 minutes on \d+ cores\. No invariant was violated\./);
  expect(text).toContain('| F01.1 a kill | 2 | 2 | 2 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 25–40 | 0.9 s–2.0 s | 0.5 s–1.5 s | 0 |');
  expect(text).toContain('- F34 a full disk: nothing may be mounted.');
  expect(text).toContain('| F24 bombs | [bad-input.test.ts](../test/e2e/scenarios/bad-input.test.ts) |');
});

test('violations are told at the top and in the row of their fault', () => {
  const verdict = check(history({ faults, audits: [audit('a', { status: 404, state: null }), audit('b')] }));
  const text = resultsOf({ ...outcome, verdict }, facts).join('\n');
  expect(text).toContain('**Violations: 1.**');
  expect(text).toMatch(/\| F01\.1 a kill .* \| 1 \|\n/);
});

test('the printed report has the same rows, and says what was skipped', () => {
  const text = report(outcome).join('\n');
  expect(text).toMatch(/^F01\.1 .* a kill$/m);
  expect(text).toContain('F34 a full disk: skipped, nothing may be mounted');
});

test('they are written between the marks of the page, again and again', () => {
  const page = 'Before\n\n<!-- results: written by npm run chaos -- --all --write -->\nold\n<!-- end of results -->\n\nAfter\n';
  const once = withResults(page, ['new']);
  expect(once).toBe('Before\n\n<!-- results: written by npm run chaos -- --all --write -->\n\nnew\n\n<!-- end of results -->\n\nAfter\n');
  expect(withResults(once, ['new'])).toBe(once);
});

test('a page without the marks is refused', () => {
  expect(() => withResults('text', [])).toThrow(/docs\/reliability\.md needs the lines/);
});
