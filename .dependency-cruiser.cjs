// One direction: contracts, platform ◄ transport ◄ worker ◄ apps/*-worker, and contracts, platform, transport ◄ gateway.
const only = (name, comment, ...[from, to]) => ({ name, severity: 'error', comment, from, to });

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    only('no-cycles', 'A cycle has no first file to read.', {}, { circular: true }),
    only(
      'contracts-zod-only',
      'Contracts are pure data and pure functions.',
      { path: '^libs/contracts/', pathNot: '\\.test\\.ts$|/test-[^/]+\\.ts$' },
      { pathNot: '^libs/contracts/|node_modules/zod/', dependencyTypesNot: ['core'] },
    ),
    only(
      'client-in-browsers',
      'The client carries nothing into a browser but itself: of the contracts it has the types.',
      { path: '^libs/client/', pathNot: '\\.test\\.ts$' },
      { pathNot: '^libs/client/|node_modules/eventsource-parser/', dependencyTypesNot: ['type-only'] },
    ),
    only('libs-not-apps', 'A library knows nothing of who uses it.', { path: '^libs/' }, { path: '^(apps|scripts|bench|chaos|test)/' }),
    only('apps-apart', 'Apps meet in Redis, not in code.', { path: '^apps/([^/]+)/' }, { path: '^apps/', pathNot: '^apps/$1/' }),
    only(
      'transport-not-worker',
      'What two processes agree on does not know how one of them works.',
      { path: '^libs/transport/', pathNot: '\\.test\\.ts$' },
      { path: '^libs/worker/' },
    ),
    only(
      'platform-alone',
      'The platform knows no tool and no job. The client of the one database schema is made here, because every process needs a part of it.',
      { path: '^libs/platform/' },
      { path: '^libs/', pathNot: '^libs/platform/' },
    ),
    only(
      'gateway-runs-no-tool',
      'The gateway accepts and follows; it never runs a tool.',
      { path: '^apps/gateway/' },
      { path: '^libs/worker/' },
    ),
    only(
      'retrieval-in-workers',
      'Searching is a worker’s work; the library itself stands on Postgres alone.',
      { path: '^(apps/gateway|libs/(contracts|transport|worker|platform))/' },
      { path: '^libs/(retrieval|knowledge)/' },
    ),
    only(
      'retrieval-alone',
      'It would serve any product.',
      { path: '^libs/retrieval/', pathNot: '\\.test\\.ts$|/test-[^/]+\\.ts$' },
      { path: '^libs/', pathNot: '^libs/retrieval/' },
    ),
    only(
      'conversations-in-the-database',
      'A conversation is rows of the database; who calls a model or serves a page with it is not known here.',
      { path: '^libs/conversations/', pathNot: '\\.test\\.ts$' },
      { path: '^libs/', pathNot: '^libs/(conversations|contracts|platform)/' },
    ),
    only(
      'models-implement-retrieval',
      'A model implements the interfaces of the search, and knows nothing of what is searched or who asks.',
      { path: '^libs/models/', pathNot: '\\.test\\.ts$' },
      { path: '^libs/', pathNot: '^libs/(models|retrieval)/' },
    ),
    only(
      'queue-inside',
      'BullMQ is known in transport and worker, and to the board.',
      { path: '^(libs|apps)/', pathNot: '^libs/(transport|worker)/|^apps/gateway/src/admin/bull-board\\.ts$' },
      { path: 'node_modules/bullmq/' },
    ),
    only(
      'otel-sdk-inside',
      'Everyone else uses the API.',
      { pathNot: '^libs/platform/src/telemetry/register\\.ts$' },
      { path: 'node_modules/@opentelemetry/(sdk|exporter|instrumentation|resources|core|context)' },
    ),
    only(
      'one-door-a-lib',
      'A library is reached by its index.',
      { path: '^(apps|libs)/([^/]+)/' },
      { path: '^libs/[^/]+/src/.+', pathNot: '^libs/[^/]+/src/index\\.ts$|^$1/$2/|^libs/platform/src/telemetry/register\\.ts$' },
    ),
    only(
      'derivations-know-no-tool',
      'Shared code never names a tool.',
      { path: '^libs/contracts/src/(derive|wire)/', pathNot: '\\.test\\.ts$' },
      { path: '^libs/contracts/src/tools/' },
    ),
    only(
      'testing-in-tests',
      'Test helpers, libs/testing and files named test-*.ts, stay in tests.',
      { path: '^(apps|libs)/', pathNot: '\\.test\\.ts$|/test-[^/]+\\.ts$|^libs/testing/' },
      { path: '^libs/testing/|^(apps|libs)/.*/test-[^/]+\\.ts$' },
    ),
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: 'libs/platform/src/generated|^dist/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['invoq-source', 'import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json'],
    },
  },
};
