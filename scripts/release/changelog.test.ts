import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '#lib/command-line';
import { releasedChangelog } from './changelog.js';

const head = '# Changelog\n\n';

test('what was unreleased belongs to the version', () => {
  const text = `${head}## [Unreleased]\n\nThis will become 0.1.0.\n\n### Added\n\n- One.\n`;
  expect(releasedChangelog(text, '0.1.0', '2026-11-27')).toBe(`${head}## [Unreleased]\n\n## [0.1.0] - 2026-11-27\n\n### Added\n\n- One.\n`);
});

test('releases before it stay', () => {
  const text = `${head}## [Unreleased]\n\n### Fixed\n\n- Two.\n\n## [0.1.0] - 2026-11-27\n\n- One.\n`;
  const released = releasedChangelog(text, '0.2.0', '2026-12-01');
  expect(released).toBe(`${head}## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n\n### Fixed\n\n- Two.\n\n## [0.1.0] - 2026-11-27\n\n- One.\n`);
  expect(() => releasedChangelog(released, '0.3.0', '2026-12-02')).toThrow('tells no change since the last release');
});

test.each([
  ['without the heading', head, 'must have one heading'],
  ['with the heading twice', `${head}## [Unreleased]\n- a\n## [Unreleased]\n- b\n`, 'must have one heading'],
  ['of which the version has an entry', `${head}## [Unreleased]\n- a\n## [0.1.0] - 2026-11-27\n`, 'has an entry for 0.1.0'],
])('one %s is refused', (_, text, message) => {
  expect(() => releasedChangelog(text, '0.1.0', '2026-11-27')).toThrow(message);
});

test('the changelog of this repository can be released', () => {
  const text = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  expect(releasedChangelog(text, '99.0.0', '2026-11-27')).toContain('## [99.0.0] - 2026-11-27\n\n### ');
});
