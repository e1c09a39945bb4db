import { expect, test } from '@jest/globals';
import { idOf, nodeVersion } from '../test-states.js';
import { outgoingRelations } from './relations.js';

const extendsIt = { id: idOf(50), type: 'Extends', targetId: idOf(1), description: 'because' } as const;

test('a relation is told with its id and description', () => {
  expect(outgoingRelations(nodeVersion('n', { relations: [extendsIt], targets: [idOf(1)] }))).toEqual([
    { relationId: idOf(50), type: 'Extends', sourceId: 'n', targetId: idOf(1), description: 'because' },
  ]);
});

test('a link in the content is a reference without an id', () => {
  expect(outgoingRelations(nodeVersion('n', { targets: [idOf(2)] }))).toEqual([
    { relationId: null, type: 'References', sourceId: 'n', targetId: idOf(2), description: '' },
  ]);
});

test('what is linked and related is told once, as the relation', () => {
  const told = outgoingRelations(nodeVersion('n', { relations: [extendsIt], targets: [idOf(1), idOf(2)] }));
  expect(told.map(({ type, targetId }) => [type, targetId])).toEqual([
    ['Extends', idOf(1)],
    ['References', idOf(2)],
  ]);
});

test('two relations to one node are both told', () => {
  const relations = [extendsIt, { ...extendsIt, id: idOf(51), type: 'Contradicts' as const }];
  expect(outgoingRelations(nodeVersion('n', { relations, targets: [idOf(1)] })).map(({ type }) => type)).toEqual([
    'Extends',
    'Contradicts',
  ]);
});

test('a node that points nowhere has none', () => expect(outgoingRelations(nodeVersion('n'))).toEqual([]));
