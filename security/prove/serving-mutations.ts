import type { Mutation } from './mutation.js';

/** Mistakes in what is made of that which tenants' workers announce. */
export const servingMutations: readonly Mutation[] = [
  {
    name: 'a version of a served tool that does not break callers needs no person',
    file: 'apps/gateway/src/serving/contract-check.ts',
    text: 'unseen: before && widened.length === 0 ? asApproved(tool, before.tool) : null,',
    becomes: 'unseen: before ? asApproved(tool, before.tool) : null,',
    foundBy: 'A key that approves nothing changes no tool of others',
  },
  {
    name: 'texts and examples that nobody has seen are shown',
    file: 'libs/contracts/src/served/widening.ts',
    text: 'return { ...rest, ...(changelog && { changelog }), examples };',
    becomes: 'return { ...rest, ...now, ...(changelog && { changelog }), ...(examples.length === 0 && { examples }) };',
    foundBy: 'A key that approves nothing changes no tool of others',
  },
  {
    name: 'what was removed is forgotten',
    file: 'apps/gateway/src/serving/keep-announced.ts',
    text: 'const removal = wasApproved ? null :',
    becomes: 'const removal = wasApproved || !before || before ? null :',
    foundBy: 'What an administrator removed comes back by an approval alone',
  },
  {
    name: 'what waits for its approval is not counted',
    file: 'apps/gateway/src/serving/served-bounds.ts',
    text: 'if ((await transaction.servedTool.count({ where })) < mostPending) return null;',
    becomes: 'if ((await transaction.servedTool.count({ where })) < mostPending * 1_000) return null;',
    foundBy: 'What waits for an approval holds no name',
  },
  {
    name: 'what waits for its approval holds its name',
    file: 'apps/gateway/src/serving/keep-announced.ts',
    text: 'const elsewhere = elsewhereFault({ name, domain: place.domain }, approved);',
    becomes: 'const elsewhere = elsewhereFault({ name, domain: place.domain }, rows);',
    foundBy: 'What waits for an approval holds no name',
  },
  {
    name: 'the worker with the most places gets every call',
    file: 'apps/gateway/src/serving/turns.ts',
    text: 'const ofKey = free.filter(({ credentialId }) => credentialId === key);\n    return ofKey.reduce((best, worker) => (worker.free / worker.size > best.free / best.size ? worker : best));',
    becomes: 'return free.reduce((best, worker) => (worker.free > best.free ? worker : best));',
    foundBy: 'A second key that serves the same tool gets its turns',
  },
  {
    name: 'contracts of strangers are checked on the event loop',
    file: 'apps/gateway/src/serving/contract-checks.ts',
    text: "return await this.#sandbox.run('checkContract', contract, { tenant, signal: never, timeMs, onSpent: spend });",
    becomes: "spend(timeMs * 0);\n        return (await import('./contract-check.js')).checkContract(contract);",
    foundBy: 'Large contracts are checked in a process of their own',
  },
  {
    name: 'announcements cost no points',
    file: 'apps/gateway/src/serving/announcement-budget.ts',
    text: 'if (waitMs > 0) throw tooMuch(waitMs);',
    becomes: 'if (waitMs > 1e12) throw tooMuch(waitMs);',
    foundBy: 'Large contracts are checked in a process of their own',
  },
  {
    name: 'the bytes of contracts have no bound',
    file: 'apps/gateway/src/serving/served-bounds.ts',
    text: 'if (held.bytes + bytes > maxBytes)',
    becomes: 'if (held.bytes + bytes > maxBytes * 1_000)',
    foundBy: 'The approved contracts of a tenant are bounded in bytes',
  },
  {
    name: 'domains have no bound',
    file: 'apps/gateway/src/serving/served-bounds.ts',
    text: 'held.domains.length >= maxDomains)',
    becomes: 'held.domains.length >= maxDomains * 1_000)',
    foundBy: 'A tenant opens few domains',
  },
  {
    name: 'a worker may report any cost',
    file: 'libs/contracts/src/served/protocol.ts',
    text: "z.strictObject({ type: z.literal('cost'), attempt, micros: z.int().min(0).max(mostReportedMicros) }),",
    becomes: "z.looseObject({ type: z.literal('cost'), attempt, micros: z.coerce.number() }),",
    foundBy: 'A worker reports no cost that is none',
  },
  {
    name: 'costs that are reported again are added up',
    file: 'libs/handlers/src/run-tool.ts',
    text: 'if (clock.isOver || micros <= clock.reported) return;',
    becomes: 'micros += clock.reported;',
    foundBy: 'A cost counts once',
  },
];
