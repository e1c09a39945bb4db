import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { acceptedShape, eventually, jobShape, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { MemotreeSession, startMemotree } from '../memotree-system.js';
import { verifies } from '../verifies.js';

describe('MemoTree commits and searches', () => {
  let system: System;
  let caller: HttpCaller;

  beforeAll(async () => {
    system = await startMemotree();
    caller = await system.caller();
  }, startTimeoutMs);
  afterAll(async () => system?.[Symbol.asyncDispose]());

  const sessions = () => {
    const workspace = `w-${randomBytes(4).toString('hex')}`;
    return [new MemotreeSession(caller, 'a', workspace), new MemotreeSession(caller, 'b', workspace)] as const;
  };

  verifies(
    ['MT-08', 'MT-45', 'MT-46', 'MT-49', 'MT-50', 'MT-28'],
    'a commit publishes what the session staged, with its message and author',
    async () => {
      const [a, b] = sessions();
      const nodeId = await a.create({ title: 'x', commitMessage: 'because of y' });
      expect((await b.call('expand_node', { nodeId })).errorCode).toBe('NODE_NOT_FOUND');
      const committed = await a.call('commit_changes');
      expect(committed.data).toMatchObject({
        commitId: expect.stringMatching(/^[0-9a-f]{40}$/),
        committedNodes: [nodeId],
        message: 'because of y',
        author: { name: 'user_001', email: '' },
        committer: 'user_001',
      });
      expect(committed.warnings).toHaveLength(1);
      expect(await b.do('expand_node', { nodeId })).toMatchObject({ title: 'x' });
      await b.do('update_node', { nodeId, title: 'z' });
      const author = { name: 'Ada', email: 'ada@example.com', timestamp: '2025-07-25T10:00:00+08:00' };
      expect(await b.do('commit_changes', { message: 'said', author })).toMatchObject({ message: 'said', author });
      await b.do('update_node', { nodeId, title: 'q' });
      const before = Date.now();
      const { author: now } = await b.do('commit_changes', { author: { name: 'Ada' } });
      expect(now).toMatchObject({ name: 'Ada', email: '', timestamp: expect.stringMatching(/Z$/) });
      const stamp = typeof now === 'object' && now !== null && 'timestamp' in now ? Date.parse(String(now.timestamp)) : 0;
      expect(stamp).toBeGreaterThanOrEqual(before);
      expect(stamp).toBeLessThanOrEqual(Date.now());
      const { commits } = await a.do('list_commits');
      expect(commits).toMatchObject([{ author: { name: 'Ada' } }, { message: 'said', author }, { message: 'because of y' }]);
    },
  );

  verifies(
    ['MT-47', 'MT-48', 'MT-16', 'MT-55'],
    'named nodes alone are committed, with the parents that they need; tags are unique',
    async () => {
      const [a, b] = sessions();
      const parent = await a.create({ title: 'p' });
      const child = await a.create({ title: 'c', parentId: parent });
      const rest = await a.create({ title: 'r' });
      const { data, warnings } = await a.call('commit_changes', {
        message: 'm',
        specificNodes: [child, 'bbbbbbbbbbbb'],
        createTag: true,
        tagName: 'v1',
      });
      expect(data).toMatchObject({ tag: 'v1' });
      expect((data?.['committedNodes'] as string[] | undefined)?.toSorted()).toEqual([child, parent].toSorted());
      expect(warnings).toHaveLength(2);
      expect((await b.call('expand_node', { nodeId: rest })).errorCode).toBe('NODE_NOT_FOUND');
      expect((await a.call('commit_changes', { createTag: true })).errorCode).toBe('TAG_NAME_REQUIRED');
      expect((await a.call('commit_changes', { createTag: true, tagName: 'v1' })).errorCode).toBe('TAG_ALREADY_EXISTS');
      expect(await a.do('list_changes')).toMatchObject({ total: 1 });
      const ignored = await a.call('commit_changes', { message: 'm', tagName: 'v2' });
      expect(ignored).toMatchObject({ success: true, data: { tag: null } });
      expect(ignored.warnings.join()).toContain('v2');
      expect(await a.do('list_branches')).toMatchObject({ tags: [{ name: 'v1', commitId: data?.['commitId'] }] });
      const empty = await a.call('commit_changes');
      expect(empty).toMatchObject({ success: true, data: { commitId: null }, warnings: [expect.any(String)] });
    },
  );

  verifies(['MT-51', 'MT-06'], 'two sessions that edit one node: one wins, the other is told what differs', async () => {
    const [a, b] = sessions();
    const nodeId = await a.create({ title: 'one', content: 'text' });
    await a.do('commit_changes');
    await a.do('update_node', { nodeId, title: 'from a' });
    await b.do('update_node', { nodeId, content: 'from b', mode: 'Replace' });
    const also = await b.create({ title: 'also' });
    await a.do('commit_changes');
    const refused = await b.call('commit_changes');
    expect(refused).toMatchObject({ success: false, errorCode: 'CONFLICT', message: expect.stringContaining(nodeId) });
    expect(refused.message).toContain('title');
    expect((await a.call('expand_node', { nodeId: also })).errorCode).toBe('NODE_NOT_FOUND');
    const reply = await caller.with({ 'x-session-id': 'b' }).post('/tools/list_changes', {});
    expect(reply.status).toBe(200);
  });

  verifies(['MT-55'], 'branches are made, listed, switched and merged; commits land on the session’s own', async () => {
    const [a, b] = sessions();
    const nodeId = await a.create({ title: 'base' });
    await a.do('commit_changes');
    await a.do('create_branch', { name: 'draft' });
    expect((await a.call('create_branch', { name: 'draft' })).errorCode).toBe('CONFLICT');
    expect((await a.call('switch_branch', { name: 'nowhere' })).errorCode).toBe('INVALID_PARAMS');
    expect(await a.do('switch_branch', { name: 'draft' })).toMatchObject({ branch: 'draft', previous: 'main' });
    await a.do('update_node', { nodeId, title: 'drafted' });
    expect(await a.do('commit_changes')).toMatchObject({ branch: 'draft' });
    expect(await b.do('expand_node', { nodeId })).toMatchObject({ title: 'base' });
    expect(await b.do('merge_branch', { source: 'draft' })).toMatchObject({ merged: true, mergedNodes: [nodeId], conflicts: [] });
    expect(await b.do('expand_node', { nodeId })).toMatchObject({ title: 'drafted' });
    expect(await b.do('diff_commits', { from: 'draft' })).toMatchObject({ total: 0 });
  });

  verifies(['MT-36', 'MT-38', 'MT-39', 'MT-40', 'MT-16', 'MT-43'], 'filters and bounds of a search', async () => {
    const [a] = sessions();
    const types = ['Plan', 'Code', 'Memory'];
    const nodes = Array.from({ length: 15 }, (_, n) => ({
      title: `needle ${n}`,
      type: types[n % 3],
      tags: n % 2 === 0 ? ['even', 'all'] : ['all'],
    }));
    await a.do('batch_create_nodes', { nodes });
    expect(await a.find({ query: 'needle' })).toHaveLength(10);
    expect(await a.find({ query: 'needle', maxResults: 3 })).toHaveLength(3);
    const capped = await a.call('search_nodes', { query: 'needle', maxResults: 500 });
    expect(capped).toMatchObject({ success: true, warnings: [expect.stringContaining('50')] });
    expect(await a.find({ query: 'needle', maxResults: 50, nodeTypes: ['plan'] })).toHaveLength(5);
    expect(await a.find({ query: 'needle', maxResults: 50, nodeTypes: [] })).toHaveLength(15);
    expect(await a.find({ query: 'needle', maxResults: 50, tags: ['even', 'all'] })).toHaveLength(8);
    expect(await a.find({ query: 'needle', maxResults: 50, tags: ['even'], nodeTypes: ['Plan'] })).toHaveLength(3);
    expect(await a.find({ query: '', tags: ['even'], maxResults: 50 })).toHaveLength(8);
    expect(await a.find({ maxResults: 50 })).toHaveLength(15);
    const { results } = await a.do('search_nodes', { query: 'needle' });
    expect(results).toContainEqual(
      expect.objectContaining({
        nodeId: expect.any(String),
        title: expect.stringContaining('needle'),
        type: expect.any(String),
        level: 'Title',
        score: expect.any(Number),
        highlightedTerms: ['needle'],
      }),
    );
  });

  verifies(
    ['MT-37', 'MT-42', 'MT-44', 'MT-54'],
    'by words, Chinese too, by meaning, by relation and by both; staged changes are the session’s own',
    async () => {
      const [a, b] = sessions();
      const retries = await a.create({
        title: 'Retry rules',
        content: `${'Filler about nothing much. '.repeat(30)}Every failing call has a budget of retries.`,
      });
      const chinese = await a.create({ title: '画布', content: '认知画布让模型展开和折叠节点。' });
      const linked = await a.create({ title: 'Elsewhere', content: `See [[${retries}]].` });
      expect(await a.find({ query: 'budget' })).toEqual([retries]);
      expect(await b.find({ query: 'budget' })).toEqual([]);
      expect(await a.find({ query: '折叠节点' })).toEqual([chinese]);
      expect(await a.find({ query: 'budgeting for failed calls', searchType: 'Semantic' })).toContain(retries);
      const hybrid = await a.find({ query: 'retry budget', searchType: 'Hybrid' });
      expect(hybrid[0]).toBe(retries);
      expect(await a.find({ query: 'budget', searchType: 'Relation' })).toEqual([linked]);
      expect(await a.find({ query: retries, searchType: 'Relation' })).toEqual([linked]);
      const preview = async (request: object) => (await a.do('search_nodes', { query: 'budget', ...request }))['results'];
      expect(await preview({})).toMatchObject([
        { preview: expect.stringContaining('budget'), highlightedTerms: expect.arrayContaining(['budget']) },
      ]);
      const [short] = (await preview({ previewLength: 20 })) as { preview: string }[];
      expect(Array.from(short?.preview ?? '').length).toBeLessThanOrEqual(20);
      expect((await preview({ includePreview: false })) as object[]).not.toContainEqual(
        expect.objectContaining({ preview: expect.anything() }),
      );
      await a.do('commit_changes');
      expect(await b.find({ query: 'budget' })).toEqual([retries]);
    },
  );

  verifies(['MT-41'], 'scopes: the view, a subtree, what is related', async () => {
    const [a] = sessions();
    const top = await a.create({ title: 'top word' });
    const inside = await a.create({ title: 'inside word', parentId: top });
    const outside = await a.create({ title: 'outside word', content: `[[${inside}]]` });
    expect((await a.find({ query: 'word', scope: 'Subtree', scopeNodeId: top })).toSorted()).toEqual([top, inside].toSorted());
    expect(await a.find({ query: 'word', scope: 'Related', scopeNodeId: outside })).toEqual([inside]);
    await a.do('collapse_node', { nodeId: top });
    expect((await a.find({ query: 'word', scope: 'CurrentView' })).toSorted()).toEqual([top, outside].toSorted());
    await a.do('expand_node', { nodeId: top });
    const fallback = await a.call('search_nodes', { query: 'word', scope: 'Subtree' });
    expect(fallback.warnings.join()).toContain(top);
    expect((await a.call('search_nodes', { query: 'word', scope: 'Subtree', scopeNodeId: 'aaaaaaaaaaaa' })).errorCode).toBe(
      'NODE_NOT_FOUND',
    );
  });

  verifies(['MT-04', 'MT-11'], 'an operation that is cancelled ends as CANCELLED and leaves nothing', async () => {
    const workspace = `w-${randomBytes(4).toString('hex')}`;
    const one = new MemotreeSession(caller, 'c', workspace);
    await one.do('list_changes');
    const files = Array.from({ length: 900 }, (_, n) => ({
      path: `f${n}.md`,
      text: `# Page ${n}\n\n${'words that are indexed '.repeat(80)}`,
    }));
    const reply = await caller
      .with({ 'x-session-id': 'c', prefer: 'respond-async' })
      .post('/memotree/import_markdown', { workspace, files });
    expect(reply.status).toBe(202);
    const { job_id } = reply.as(acceptedShape);
    await eventually(async () => (await caller.get(`/jobs/${job_id}`)).as(jobShape).state === 'active', { what: 'the import runs' });
    expect((await caller.delete(`/jobs/${job_id}`)).status).toBe(202);
    const job = await eventually(
      async () => {
        const seen = (await caller.get(`/jobs/${job_id}`)).as(jobShape);
        return seen.state === 'cancelled' && seen;
      },
      { what: 'it is cancelled' },
    );
    expect(job.result).toMatchObject({ success: false, error: { code: 'CANCELLED' } });
    expect(await one.do('list_changes')).toMatchObject({ total: 0 });
    expect((await caller.delete(`/jobs/${job_id}`)).status).toBe(409);
  });

  verifies(['MT-45', 'MT-51'], 'a worker killed in the middle of a commit leaves all of it or none, and it is committed once', async () => {
    const workspace = `w-${randomBytes(4).toString('hex')}`;
    const one = new MemotreeSession(caller, 'k', workspace);
    const files = Array.from({ length: 400 }, (_, n) => ({ path: `f${n}.md`, text: `# Page ${n}\n\nsome words` }));
    await one.do('import_markdown', { files });
    const reply = await caller
      .with({ 'x-session-id': 'k', prefer: 'respond-async' })
      .post('/memotree/commit_changes', { workspace, message: 'all' });
    const { job_id } = reply.as(acceptedShape);
    await eventually(async () => (await caller.get(`/jobs/${job_id}`)).as(jobShape).state !== 'waiting');
    await system.killWorkers(system.worker);
    await system.worker.start();
    const job = await eventually(
      async () => {
        const seen = (await caller.get(`/jobs/${job_id}`)).as(jobShape);
        return seen.state === 'completed' && seen;
      },
      { withinMs: 60_000, what: 'the commit ends' },
    );
    expect(job.result).toMatchObject({ success: true });
    const { commits } = await one.do('list_commits');
    expect(commits).toMatchObject([{ message: 'all', changes: 400 }]);
    expect(await one.do('list_changes')).toMatchObject({ total: 0 });
  });
});
