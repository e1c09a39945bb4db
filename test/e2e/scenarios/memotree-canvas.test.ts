import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { MemotreeSession, startMemotree } from '../memotree-system.js';
import { verifies } from '../verifies.js';
import { inProcess } from '../in-process.js';

const six = ['expand_node', 'collapse_node', 'create_node', 'update_node', 'search_nodes', 'commit_changes'];

describe('the MemoTree canvas', () => {
  let system: System;
  let caller: HttpCaller;

  beforeAll(async () => {
    system = await startMemotree({ inProcess });
    caller = await system.caller();
  }, startTimeoutMs);
  afterAll(async () => system?.[Symbol.asyncDispose]());

  const session = () => new MemotreeSession(caller, `s-${randomBytes(4).toString('hex')}`, `w-${randomBytes(4).toString('hex')}`);

  verifies(
    ['MT-02', 'MT-03', 'MT-09', 'MT-10', 'MT-12', 'MT-52'],
    'six operations at both doors, one request object and one result each',
    async () => {
      const { body } = await caller.get('/tools?domain=memotree');
      const names = JSON.stringify(body);
      for (const operation of six) {
        expect(names).toContain(`"${operation}"`);
        // The shape is checked in every call: five keys, success or not.
        await session().call(operation, {});
        await session().call(operation, []);
        const pascal = operation.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
        expect((await caller.get(`/tools/${pascal}`)).status).toBe(200);
      }
      const { envelope } = await caller.call('create_node', { title: 'unified' });
      expect(envelope).toMatchObject({ success: true, data: { nodeId: expect.any(String) } });
    },
  );

  verifies(['MT-05', 'MT-15', 'MT-14', 'MT-06'], 'a wrong type is refused with its field and changes nothing', async () => {
    const one = session();
    const nodeId = await one.create({ title: 'kept' });
    const wrong: [string, object][] = [
      ['expand_node', { nodeId, includeChildren: 'yes' }],
      ['expand_node', { nodeId, level: 'Everything' }],
      ['expand_node', { nodeId, level: 4 }],
      ['expand_node', {}],
      ['collapse_node', { nodeId, recursive: 1 }],
      ['create_node', { title: 5 }],
      ['create_node', { type: 'Poem' }],
      ['create_node', { colour: 'red' }],
      ['create_node', { tags: 'a' }],
      ['create_node', { content: 'a\0b' }],
      ['create_node', { title: 'half a pair \ud800' }],
      ['create_node', { tags: ['a\0'] }],
      ['expand_node', { nodeId: 'a\0' }],
      ['search_nodes', { query: 'a\0b' }],
      ['restore_node', { nodeId, from: '\0' }],
      ['update_node', { nodeId, mode: 'Overwrite' }],
      ['update_node', { nodeId, title: 7 }],
      ['search_nodes', { maxResults: 0 }],
      ['search_nodes', { maxResults: -1 }],
      ['search_nodes', { previewLength: 2001 }],
      ['commit_changes', { author: { email: 'nobody' } }],
    ];
    for (const [operation, request] of wrong) {
      const result = await one.call(operation, request);
      expect({ operation, request, ...result }).toMatchObject({ success: false, errorCode: 'INVALID_PARAMS', data: null, warnings: [] });
    }
    expect(await one.do('list_changes')).toMatchObject({ total: 1 });
    expect(await one.call('expand_node', { nodeId: 'ffffffffffff' })).toMatchObject({
      success: false,
      errorCode: 'NODE_NOT_FOUND',
      message: expect.stringContaining('ffffffffffff'),
      data: null,
      warnings: [],
    });
  });

  verifies(['MT-07', 'MT-03'], 'further operations answer like the six', async () => {
    const one = session();
    for (const operation of ['list_changes', 'list_branches', 'render_view', 'list_commits']) {
      expect(await one.call(operation)).toMatchObject({ success: true, errorCode: null });
    }
  });

  verifies(['MT-05', 'MT-19', 'MT-34'], 'names and enums are read in every spelling of the document', async () => {
    const one = session();
    const nodeId = await one.create({
      Title: 'spelt',
      Content: 'text',
      InitialLevel: 'detail',
      Type: 'plan',
      Auto_Generate_Summary: false,
    });
    for (const level of ['Detail', 'DETAIL', 'detail', 3, '3', 'Full']) {
      expect(await one.do('expand_node', { NodeId: nodeId, Level: level })).toMatchObject({
        level: 'Detail',
        content: 'text',
        type: 'Plan',
      });
    }
    expect(await one.do('expand_node', { node_id: nodeId, level: 'gist' })).toMatchObject({ level: 'Brief' });
    expect(await one.do('update_node', { node_id: nodeId, content: 'more', mode: 2 })).toMatchObject({ changed: ['content'] });
    expect(await one.do('expand_node', { nodeId })).toMatchObject({ content: 'text\nmore' });
  });

  verifies(
    ['MT-08', 'MT-13', 'MT-24', 'MT-25', 'MT-26', 'MT-27', 'MT-31'],
    'creating gives an id that works at once; limits hold to the character',
    async () => {
      const one = session();
      const parent = await one.create({ title: 'parent' });
      expect(await one.do('expand_node', { nodeId: 'root', includeChildren: true })).toMatchObject({
        children: [{ nodeId: parent, type: 'Concept' }],
      });
      for (const type of ['Concept', 'Memory', 'Plan', 'Reference', 'Code']) {
        const child = await one.create({ parentId: parent, type, title: type });
        expect(await one.do('expand_node', { nodeId: child })).toMatchObject({ type, parentId: parent });
      }
      expect(await one.call('create_node', { parentId: 'eeeeeeeeeeee' })).toMatchObject({ errorCode: 'PARENT_NOT_FOUND' });
      const untitled = await one.call('create_node', {});
      expect(untitled).toMatchObject({ success: true, message: expect.stringMatching(/./), errorCode: null, data: { tags: [] } });
      expect(untitled.warnings).toHaveLength(1);
      expect((await one.call('create_node', { title: '字'.repeat(200) })).success).toBe(true);
      expect((await one.call('create_node', { title: '字'.repeat(201) })).errorCode).toBe('INVALID_PARAMS');
      expect((await one.call('create_node', { title: 'large', content: 'x'.repeat(1_000_000), autoGenerateSummary: false })).success).toBe(
        true,
      );
      expect((await one.call('create_node', { title: 'larger', content: 'x'.repeat(1_000_001) })).errorCode).toBe('INVALID_PARAMS');
      const tagged = await one.do('create_node', { title: 't', tags: ['a', 'b', 'a', '字'.repeat(50)] });
      expect(tagged['tags']).toEqual(['a', 'b', '字'.repeat(50)]);
      for (const tags of [Array.from({ length: 21 }, (_, n) => `t${n}`), ['x'.repeat(51)], ['']])
        expect((await one.call('create_node', { title: 't', tags })).errorCode).toBe('INVALID_PARAMS');
    },
  );

  verifies(
    ['MT-17', 'MT-18', 'MT-19', 'MT-20', 'MT-21', 'MT-22', 'MT-29', 'MT-53'],
    'expanding gives the level asked for and keeps it in its view',
    async () => {
      const one = session();
      const content = `The first sentence says it. ${'Then there is much more to read about it. '.repeat(20)}`;
      const nodeId = await one.create({ title: 'node', content });
      const shown = await one.create({ title: 'shown', content: 'all of it', initialLevel: 'Detail' });
      const [x, y] = [await one.create({ title: 'x', parentId: nodeId }), await one.create({ title: 'y', parentId: nodeId, type: 'Code' })];
      const rendered = async (viewName?: string) => String((await one.do('render_view', { ...(viewName && { viewName }) }))['markdown']);
      expect(await rendered()).toContain('all of it');
      expect(await one.do('expand_node', { nodeId, viewName: 'a' })).toMatchObject({ level: 'Detail', content, title: 'node' });
      expect(await rendered('a')).toContain(content.trim());
      expect(await rendered()).not.toContain(content.trim());
      const summary = await one.do('expand_node', { nodeId, level: 'Summary' });
      expect(summary).toMatchObject({ level: 'Summary' });
      expect(String(summary['content']).length).toBeLessThan(content.length);
      const brief = await one.do('expand_node', { nodeId, level: 'Title' });
      expect(brief).toMatchObject({ content: 'node' });
      expect(brief).not.toHaveProperty('children');
      expect(brief).not.toHaveProperty('relations');
      await one.do('link_nodes', { sourceId: nodeId, targetId: shown, type: 'Extends' });
      const whole = await one.do('expand_node', { nodeId, includeChildren: true, includeRelations: true });
      expect(whole).toMatchObject({
        children: [
          { nodeId: x, title: 'x', type: 'Concept', level: 'Summary' },
          { nodeId: y, title: 'y', type: 'Code', level: 'Summary' },
        ],
        relations: [{ type: 'Extends', sourceId: nodeId, targetId: shown }],
      });
      expect(await one.do('expand_node', { nodeId, includeChildren: true, includeRelations: true })).toEqual(whole);
    },
  );

  verifies(['MT-23'], 'collapsing folds to the title, below too when asked, and touches no content', async () => {
    const one = session();
    const top = await one.create({ title: 'top', content: 'top text' });
    const child = await one.create({ title: 'child', content: 'child text', parentId: top });
    await one.do('expand_node', { nodeId: child });
    await one.do('expand_node', { nodeId: top });
    const levels = async () => (await one.do('expand_node', { nodeId: 'root', viewName: 'default', includeChildren: true }))['children'];
    const childLevel = async () => (await one.do('expand_node', { nodeId: top, level: 'Title', includeChildren: true }))['children'];
    expect(await one.do('collapse_node', { nodeId: top })).toMatchObject({ level: 'Title' });
    expect(await levels()).toMatchObject([{ nodeId: top, level: 'Title' }]);
    expect(await childLevel()).toMatchObject([{ nodeId: child, level: 'Detail' }]);
    await one.do('collapse_node', { nodeId: top, recursive: true });
    expect(await childLevel()).toMatchObject([{ nodeId: child, level: 'Title' }]);
    expect(await one.do('expand_node', { nodeId: child })).toMatchObject({ content: 'child text' });
    expect((await one.call('collapse_node', { nodeId: 'dddddddddddd' })).errorCode).toBe('NODE_NOT_FOUND');
  });

  verifies(
    ['MT-30', 'MT-33'],
    'summaries are there at once without a model, stay when content changes, and are made anew on request',
    async () => {
      const one = session();
      const content = Array.from({ length: 40 }, (_, n) => `第${n}句讲的是记忆如何折叠。Sentence ${n} is about folding.`).join('');
      const nodeId = await one.create({ title: 'long', content });
      const first = String((await one.do('expand_node', { nodeId, level: 'Summary' }))['content']);
      expect(first.length).toBeGreaterThan(0);
      expect(first.length).toBeLessThan(content.length);
      const changed = await one.call('update_node', { nodeId, content: 'Only this now.', mode: 'Replace', commitMessage: 'why' });
      expect(changed.warnings.join()).toMatch(/summary/i);
      expect(await one.do('expand_node', { nodeId, level: 'Summary' })).toMatchObject({ content: first, freshness: 'stale' });
      await one.do('update_node', { nodeId, regenerateSummary: true });
      expect(await one.do('expand_node', { nodeId, level: 'Summary' })).toMatchObject({ content: 'Only this now.', freshness: 'fresh' });
      const bare = await one.create({ title: 'bare', content, autoGenerateSummary: false });
      const fallback = await one.call('expand_node', { nodeId: bare, level: 'Summary' });
      expect(fallback.warnings).toHaveLength(1);
    },
  );

  verifies(['MT-32', 'MT-34', 'MT-35'], 'updates change what is given, by mode', async () => {
    const one = session();
    const nodeId = await one.create({ title: 'title', content: 'A', tags: ['x'] });
    const text = async () => (await one.do('expand_node', { nodeId }))['content'];
    const set = async (content: string, mode?: string) => {
      await one.do('update_node', { nodeId, content, ...(mode && { mode }) });
      return text();
    };
    expect(await set('B', 'Append')).toBe('A\nB');
    expect(await set('C', 'Prepend')).toBe('C\nA\nB');
    expect(await set('D', 'Replace')).toBe('D');
    expect(await set('E')).toBe('E');
    await set('intro\n\n# One\n\n1\n\n# Two\n\n2\n', 'Replace');
    expect(await set('# Two\n\nzwei')).toBe('intro\n\n# One\n\n1\n\n# Two\n\nzwei\n');
    expect(await one.do('update_node', { nodeId, tags: ['y'], content: null, title: null })).toMatchObject({
      title: 'title',
      tags: ['x', 'y'],
      changed: ['tags'],
    });
    expect(await one.do('update_node', { nodeId, tags: [] })).toMatchObject({ tags: ['x', 'y'] });
    expect(await one.do('update_node', { nodeId, tags: [], mode: 'Replace' })).toMatchObject({ tags: [] });
    expect(await one.call('update_node', { nodeId })).toMatchObject({
      success: true,
      warnings: [expect.stringContaining('nothing to update')],
    });
    expect(await one.do('update_node', { nodeId, level: 'Summary', content: 'by hand' })).toMatchObject({ changed: ['summary'] });
    expect(await one.do('expand_node', { nodeId, level: 'Summary' })).toMatchObject({ content: 'by hand', freshness: 'fresh' });
  });

  verifies(['MT-56'], 'batches are all or none unless told otherwise; deleting asks before it takes children', async () => {
    const one = session();
    const made = await one.do('batch_create_nodes', { nodes: [{ title: 'one' }, { title: 'two' }] });
    expect(made).toMatchObject({
      succeeded: 2,
      failed: 0,
      results: [
        { index: 0, success: true },
        { index: 1, success: true },
      ],
    });
    const refused = await one.call('batch_create_nodes', { nodes: [{ title: 'three' }, { title: 'four', parentId: 'cccccccccccc' }] });
    expect(refused).toMatchObject({ success: false, errorCode: 'PARENT_NOT_FOUND' });
    expect(await one.do('expand_node', { nodeId: 'root' })).toMatchObject({ childCount: 2 });
    const partly = await one.do('batch_create_nodes', {
      atomic: false,
      nodes: [{ title: 'three' }, { title: 'four', parentId: 'cccccccccccc' }],
    });
    expect(partly).toMatchObject({
      succeeded: 1,
      failed: 1,
      results: [{ success: true }, { success: false, errorCode: 'PARENT_NOT_FOUND' }],
    });
    const top = await one.create({ title: 'top' });
    await one.create({ title: 'child', parentId: top });
    expect((await one.call('delete_node', { nodeId: top })).errorCode).toBe('CONFLICT');
    expect((await one.call('batch_delete_nodes', { nodes: [{ nodeId: top }] })).errorCode).toBe('CONFLICT');
    expect(await one.do('batch_delete_nodes', { nodes: [{ nodeId: top, recursive: true }] })).toMatchObject({ succeeded: 1 });
    expect(await one.do('batch_update_nodes', { updates: [{ nodeId: 'root', title: 'Mine' }] })).toMatchObject({
      results: [{ data: { changed: ['title'] } }],
    });
  });

  verifies(['MT-05', 'MT-15'], 'another user’s own workspace is closed; a shared one is not', async () => {
    const other = await system.caller({ userId: 'user_other' });
    const mine = new MemotreeSession(caller, 'mine');
    const nodeId = await mine.create({ title: 'private' });
    await mine.do('commit_changes');
    const theirs = new MemotreeSession(other, 'mine');
    expect((await theirs.call('expand_node', { nodeId })).errorCode).toBe('NODE_NOT_FOUND');
    expect((await theirs.call('expand_node', { nodeId, workspace: '~user_001' })).errorCode).toBe('PERMISSION_DENIED');
    const team = new MemotreeSession(caller, 's', 'team');
    const shared = await team.create({ title: 'shared' });
    await team.do('commit_changes');
    expect(await new MemotreeSession(other, 's', 'team').do('expand_node', { nodeId: shared })).toMatchObject({ title: 'shared' });
  });
});
