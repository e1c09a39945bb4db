import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { idOf } from '../test-states.js';
import { layerOfSpace, nodeOfRef, spaceOf } from './node-index.js';

test('the space of a layer names the layer', () => {
  fc.assert(fc.property(fc.nat(), (layerId) => expect(layerOfSpace(spaceOf(layerId))).toBe(layerId)));
});

test.each([
  [idOf(1), { nodeId: idOf(1), seq: null }],
  ['root', { nodeId: 'root', seq: null }],
  [`${idOf(1)}@0`, { nodeId: idOf(1), seq: 0 }],
  [`${idOf(1)}@1234`, { nodeId: idOf(1), seq: 1234 }],
])('the reference %s is read', (ref, expected) => expect(nodeOfRef(ref)).toEqual(expected));
