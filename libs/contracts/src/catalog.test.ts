import { describe, expect, test } from '@jest/globals';
import { Catalog } from './catalog.js';
import type { ToolContract } from './define-tool.js';
import { calcMetrics } from './tools/profile/calc-metrics.js';

type Version = ToolContract['version'];
const tool = (name: string, version: Version = '1.0.0', rest: Partial<ToolContract> = {}): ToolContract => {
  const { aliases: _, ...base } = calcMetrics;
  return { ...base, name, version, ...rest } as ToolContract;
};
const shown = (contracts: readonly ToolContract[]) => contracts.map(({ name, version }) => `${name}@${version}`);

describe('a name', () => {
  const catalog = new Catalog([
    tool('get_weather', '1.0.0', { aliases: ['GetWeather', 'get_current_weather'] }),
    tool('get_weather', '1.2.0', { aliases: ['GetWeather', 'get_current_weather'] }),
    tool('get_weather', '2.0.0', { preview: true, aliases: ['GetWeather', 'get_current_weather'] }),
    tool('new_tool', '1.0.0', { preview: true }),
  ]);

  test.each([
    ['get_weather', 'get_weather@1.2.0'],
    ['GetWeather', 'get_weather@1.2.0'],
    ['getweather', 'get_weather@1.2.0'],
    ['GETWEATHER', 'get_weather@1.2.0'],
    ['get_current_weather', 'get_weather@1.2.0'],
    ['new_tool', 'new_tool@1.0.0'],
  ])('%s stands for %s: the newest version that is no preview, else the newest', (name, found) => {
    expect(shown([catalog.find(name) ?? tool('none')])).toEqual([found]);
  });

  test.each(['GET_WEATHER', 'Get_Weather', 'get-weather', ' get_weather', '', 'toString', '__proto__', 'get_weather@1.0.0'])(
    '%j is no tool',
    (name) => {
      expect(catalog.find(name)).toBeUndefined();
      expect(catalog.versions(name)).toEqual([]);
    },
  );

  test('with a version is that very one, previews included', () => {
    expect(catalog.find('get_weather', '2.0.0')?.preview).toBe(true);
    expect(catalog.find('GetWeather', '1.0.0')?.version).toBe('1.0.0');
    expect(catalog.find('get_weather', '3.0.0')).toBeUndefined();
  });

  test('has its versions newest first, by number and not by text', () => {
    const many = new Catalog([tool('t', '9.0.0'), tool('t', '10.0.0'), tool('t', '9.10.0'), tool('t', '9.9.0')]);
    expect(many.versions('t').map(({ version }) => version)).toEqual(['10.0.0', '9.10.0', '9.9.0', '9.0.0']);
  });
});

describe('lists', () => {
  const catalog = new Catalog([
    tool('b'),
    tool('a', '1.0.0'),
    tool('a', '2.0.0'),
    tool('hidden', '1.0.0', { internal: true }),
    tool('unlisted', '1.0.0', { unlisted: true }),
    tool('changed', '1.0.0', { suspended: 'its definition changed' }),
    tool('old', '1.0.0', { deprecated: true }),
    tool('ending', '1.0.0', { sunsetDate: '2027-01-01' }),
  ]);

  test('have one version of each tool, by name', () => {
    expect(shown(catalog.tools)).toEqual([
      'a@2.0.0',
      'b@1.0.0',
      'changed@1.0.0',
      'ending@1.0.0',
      'hidden@1.0.0',
      'old@1.0.0',
      'unlisted@1.0.0',
    ]);
  });

  test('show no internal, unlisted or suspended tool', () => {
    expect(catalog.names()).toEqual(['a', 'b', 'ending', 'old']);
  });

  test('for a model leave out what would only be refused, from the first instant of its date', () => {
    const offered = (now: string) => catalog.offered(new Date(now)).map(({ name }) => name);
    expect(offered('2026-12-31T23:59:59.999Z')).toEqual(['a', 'b', 'ending']);
    expect(offered('2027-01-01T00:00:00.000Z')).toEqual(['a', 'b']);
  });
});

describe('two tools', () => {
  test.each<[string, readonly ToolContract[]]>([
    ['with one name and version', [tool('a'), tool('a')]],
    ['of which one has the name of the other as an alias', [tool('a'), tool('b', '1.0.0', { aliases: ['a'] })]],
    ['with one alias', [tool('a', '1.0.0', { aliases: ['Same'] }), tool('b', '1.0.0', { aliases: ['same'] })]],
    ['whose names differ in case only', [tool('a'), tool('b', '1.0.0', { aliases: ['A'] })]],
  ])('%s fail the start, and both are named', (_which, contracts) => {
    expect(() => new Catalog(contracts)).toThrow(/^Two tools answer to "\w+": \w+ and \w+\./);
  });

  test('are not seen in one whose alias is its own name in another case', () => {
    const catalog = new Catalog([tool('birth', '1.0.0', { aliases: ['Birth'] })]);
    expect(['birth', 'Birth', 'BIRTH'].map((name) => catalog.find(name)?.name)).toEqual(['birth', 'birth', 'birth']);
  });

  test('that are two versions of one may share their aliases', () => {
    expect(() => new Catalog([tool('a', '1.0.0', { aliases: ['X'] }), tool('a', '2.0.0', { aliases: ['X'] })])).not.toThrow();
  });
});

describe('outside tools', () => {
  test('come and go, all at once', () => {
    const catalog = new Catalog([tool('own')]);
    catalog.replaceOutside([tool('docs__search'), tool('docs__read')]);
    expect(catalog.names()).toEqual(['docs__read', 'docs__search', 'own']);
    catalog.replaceOutside([tool('wiki__read', '3.0.0')]);
    expect(catalog.names()).toEqual(['own', 'wiki__read']);
    expect(catalog.find('docs__search')).toBeUndefined();
    catalog.replaceOutside([]);
    expect(catalog.names()).toEqual(['own']);
  });

  test('that clash leave everything as it was', () => {
    const catalog = new Catalog([tool('own', '1.0.0', { aliases: ['Own'] })]);
    catalog.replaceOutside([tool('docs__search')]);
    expect(() => catalog.replaceOutside([tool('wiki__read'), tool('own')])).toThrow(/Two tools answer to "own"/);
    expect(catalog.names()).toEqual(['docs__search', 'own']);
    expect(catalog.find('wiki__read')).toBeUndefined();
    expect(catalog.find('docs__search')).toBeDefined();
  });

  test('never take the place of a tool of ours', () => {
    const own = tool('own');
    const catalog = new Catalog([own]);
    expect(() => catalog.replaceOutside([tool('other', '1.0.0', { aliases: ['OWN'] })])).toThrow();
    expect(catalog.find('own')).toBe(own);
  });
});

describe('a catalog that serves some domains alone', () => {
  const catalog = new Catalog([tool('mine'), tool('other', '1.0.0', { domain: 'stripe', aliases: ['Other'] })], ['profile']);

  test('neither lists nor finds the tools of the others, and knows where they would be', () => {
    expect(catalog.names()).toEqual(['mine']);
    expect(catalog.find('other')).toBeUndefined();
    expect(['other', 'OTHER', 'mine', 'nonsense'].map((name) => catalog.unservedDomain(name))).toEqual([
      'stripe',
      'stripe',
      undefined,
      undefined,
    ]);
  });

  test('takes no outside tools where nobody would run them', () => {
    catalog.replaceOutside([tool('server__tool', '1.0.0', { domain: 'perception' }), tool('second__tool')]);
    expect(catalog.names()).toEqual(['mine', 'second__tool']);
  });
});

test('a tool that a setting turns on is not there while it is off, nor in any view, and its name is known', () => {
  const contracts = [tool('mine'), tool('optional', '1.0.0', { setting: 'CODE_MODE', aliases: ['Optional'] })];
  const off = new Catalog(contracts, ['profile'], () => false);
  for (const catalog of [off, off.seenBy('t'), off.narrowedTo(['*'])]) {
    expect(catalog.find('optional')).toBeUndefined();
    expect(['optional', 'OPTIONAL', 'mine'].map((name) => catalog.offBy(name))).toEqual(['CODE_MODE', 'CODE_MODE', undefined]);
  }
  const on = new Catalog(contracts, ['profile'], (setting) => setting === 'CODE_MODE');
  expect([on.names(), on.offBy('optional')]).toEqual([['mine', 'optional'], undefined]);
});

describe('a catalog of some tools alone', () => {
  test('has those that the patterns name, in every version, and the internal ones', () => {
    const catalog = new Catalog([
      tool('get_weather', '1.0.0', { aliases: ['Weather'] }),
      tool('get_weather', '2.0.0', { aliases: ['Weather'] }),
      tool('get_document'),
      tool('search'),
      tool('inside', '1.0.0', { internal: true }),
    ]);
    const narrow = catalog.narrowedTo(['weather']);
    expect(narrow.names()).toEqual(['get_weather']);
    expect(narrow.versions('Weather').map(({ version }) => version)).toEqual(['2.0.0', '1.0.0']);
    expect([narrow.find('search'), narrow.find('get_document')]).toEqual([undefined, undefined]);
    expect(narrow.find('inside')).toBeDefined();
    expect(catalog.narrowedTo(['get_*']).names()).toEqual(['get_document', 'get_weather']);
    expect(catalog.narrowedTo(undefined)).toBe(catalog);
    expect(catalog.narrowedTo(['weather'])).toBe(narrow);
  });

  test('changes with what it is made of', () => {
    const catalog = new Catalog([tool('mine')]);
    expect(catalog.narrowedTo(['docs__*']).names()).toEqual([]);
    catalog.replaceOutside([tool('docs__search')]);
    expect(catalog.narrowedTo(['docs__*']).names()).toEqual(['docs__search']);
    catalog.replaceOutside([]);
    expect(catalog.narrowedTo(['docs__*']).names()).toEqual([]);
  });
});

describe('tools that tenants serve', () => {
  const served = (name: string, version: Version = '1.0.0', rest: Partial<ToolContract> = {}) =>
    tool(name, version, { domain: 'own-0123456789abcdef-sales', served: { tenant: 'acme', domain: 'sales' }, ...rest });
  const make = (contracts: readonly ToolContract[]) => {
    const catalog = new Catalog([tool('own', '1.0.0', { aliases: ['Own'] })]);
    catalog.replaceServed('acme', () => contracts);
    return catalog;
  };

  test('are seen by their own tenant alone', () => {
    const catalog = make([served('make_quote')]);
    expect(catalog.seenBy('acme').names()).toEqual(['make_quote', 'own']);
    expect(catalog.seenBy('other').names()).toEqual(['own']);
    expect(catalog.names()).toEqual(['own']);
    expect(catalog.seenBy('other').find('make_quote')).toBeUndefined();
    expect(catalog.seenBy('acme').domains).toContain('sales');
    expect(catalog.seenBy('acme').queues).toContain('own-0123456789abcdef-sales');
    expect(catalog.seenBy('other').domains).not.toContain('sales');
  });

  test('never take the name of another', () => {
    const seen = make([served('own', '9.0.0'), served('OWN'.toLowerCase(), '8.0.0'), served('free')]).seenBy('acme');
    expect([seen.find('own')?.version, seen.names()]).toEqual(['1.0.0', ['free', 'own']]);
  });

  test('give way to outside tools that come later, and nobody loses the rest', () => {
    const catalog = make([served('docs'), served('free')]);
    catalog.replaceOutside([tool('docs')]);
    expect(catalog.seenBy('acme').names()).toEqual(['docs', 'free', 'own']);
    expect(catalog.seenBy('acme').find('docs')?.served).toBeUndefined();
  });

  test('that no worker serves are in no list, and the name means a version that one serves', () => {
    const seen = make([served('a', '2.0.0', { away: true }), served('a', '1.0.0'), served('b', '1.0.0', { away: true })]).seenBy('acme');
    expect(seen.names()).toEqual(['a', 'own']);
    expect(seen.find('a')?.version).toBe('1.0.0');
    expect(seen.find('b')?.away).toBe(true);
  });

  test('change together with the rest', () => {
    const catalog = make([served('a')]);
    expect(catalog.seenBy('acme').names()).toEqual(['a', 'own']);
    catalog.replaceServed('acme', null);
    expect(catalog.seenBy('acme').names()).toEqual(['own']);
  });

  test('are made when their tenant looks, once, and no change of another tenant makes them again', () => {
    const catalog = make([]);
    let made = 0;
    catalog.replaceServed('busy', () => {
      made += 1;
      return [served('a')];
    });
    expect(made).toBe(0);
    const seen = catalog.seenBy('busy');
    catalog.replaceServed('acme', () => [served('b')]);
    expect([catalog.seenBy('busy'), made]).toEqual([seen, 1]);
  });
});
