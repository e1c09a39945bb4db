// One direction: contracts, platform ◄ transport ◄ worker ◄ apps/*-worker, and contracts, platform, transport ◄ gateway.
const only = (name, comment, ...[from, to]) => ({ name, severity: 'error', comment, from, to });

const tests = '\\.test\\.ts$|/test-[^/]+\\.ts$';
/**
 * Rooms below a folder, from the ground up, each with the rooms before it that it imports. The files beside the rooms wire them, and stand
 * outside of the order.
 */
const edges = (folder, comment, imported) => {
  const app = folder.split('/')[1];
  const rooms = Object.keys(imported);
  return [
    ...rooms.map((room, place) => {
      const above = imported[room].filter((other) => !rooms.slice(0, place).includes(other));
      if (above.length > 0) throw new Error(`${folder}/${room} may import rooms before it only, and not ${above.join(', ')}`);
      return only(
        `${app}-${room}`,
        comment,
        { path: `^${folder}/${room}/`, pathNot: tests },
        { path: `^${folder}/[^/]+/`, pathNot: `^${folder}/(${[room, ...imported[room]].join('|')})/` },
      );
    }),
    only(
      `${app}-room-known`,
      'A new room gets its place in the order.',
      { path: `^${folder}/`, pathNot: tests },
      { path: `^${folder}/[^/]+/`, pathNot: `^${folder}/(${rooms.join('|')})/` },
    ),
  ];
};
/** The same for rooms of which each may import all before it. */
const floors = (folder, comment, rooms) =>
  edges(folder, comment, Object.fromEntries(rooms.map((room, place) => [room, rooms.slice(0, place)])));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    only('no-cycles', 'Files in a cycle can neither be read nor tested one after the other.', {}, { circular: true }),
    only(
      'contracts-zod-only',
      'Contracts are pure data and pure functions, so that every process and the client can import them.',
      { path: '^libs/contracts/', pathNot: '\\.test\\.ts$|/test-[^/]+\\.ts$' },
      { pathNot: '^libs/contracts/|node_modules/zod/', dependencyTypesNot: ['core'] },
    ),
    only(
      'client-in-browsers',
      'The client runs in browsers: it imports only types of the contracts.',
      { path: '^libs/client/', pathNot: '\\.test\\.ts$' },
      { pathNot: '^libs/client/|node_modules/eventsource-parser/', dependencyTypesNot: ['type-only'] },
    ),
    only(
      'console-in-browsers',
      'The console runs in browsers: of the libraries it imports the client, and types of the contracts.',
      { path: '^apps/console/', pathNot: '\\.test\\.ts$' },
      { path: '^libs/', pathNot: '^libs/client/', dependencyTypesNot: ['type-only'] },
    ),
    only(
      'libs-not-apps',
      'A library does not know who uses it.',
      { path: '^libs/' },
      { path: '^(apps|scripts|bench|chaos|fuzz|security|world|test)/' },
    ),
    only(
      'apps-apart',
      'Apps communicate only through Redis. Tests of the Stripe worker run against the sandbox in their own process.',
      { path: '^apps/([^/]+)/', pathNot: '^apps/stripe-worker/.*\\.test\\.ts$' },
      { path: '^apps/', pathNot: '^apps/$1/' },
    ),
    only(
      'transport-not-worker',
      'Gateway and workers share transport, so it imports neither.',
      { path: '^libs/transport/', pathNot: '\\.test\\.ts$' },
      { path: '^libs/worker/' },
    ),
    only(
      'platform-alone',
      'The platform knows no tools and no jobs. It has the database client, because every process needs a part of the schema.',
      { path: '^libs/platform/' },
      { path: '^libs/', pathNot: '^libs/platform/' },
    ),
    only(
      'gateway-runs-no-tool',
      'The gateway accepts and follows calls, and never runs a tool. For workers that are connected to it, it holds the side of the queue.',
      { path: '^apps/gateway/', pathNot: '^apps/gateway/src/serving/' },
      { path: '^libs/worker/' },
    ),
    ...floors('libs/transport/src', 'A record knows neither its queue nor who follows it, and no two rooms import each other.', [
      'redis',
      'scripts',
      'record',
      'asked',
      'queue',
      'past',
      'limits',
      'serving',
      'follow',
    ]),
    ...edges(
      'apps/gateway/src',
      'The pipeline knows no HTTP, and records know no door. A new edge between rooms gets a word here, and a reason in review.',
      {
        metacognition: [],
        tenants: [],
        outbox: ['tenants'],
        rules: ['tenants', 'outbox'],
        calls: ['metacognition', 'outbox', 'rules'],
        http: ['calls'],
        callers: ['rules', 'http'],
        serving: ['tenants', 'rules', 'http', 'callers'],
        records: ['outbox', 'rules', 'calls', 'http'],
        inputs: ['calls', 'http'],
        doors: ['rules', 'calls', 'http', 'callers', 'records', 'inputs'],
        outside: ['calls', 'http', 'inputs', 'doors'],
        later: ['outbox', 'calls', 'http', 'callers', 'records'],
        controls: ['rules', 'calls', 'http'],
        webhooks: ['outbox', 'calls', 'http'],
        pages: ['calls', 'http'],
        operations: ['outbox', 'rules', 'http', 'records'],
      },
    ),
    only(
      'gateway-room-shares',
      'What lies flat in these rooms is for their folders, and knows none of them.',
      { path: '^apps/gateway/src/(doors|rules|outside|operations)/[^/]+$', pathNot: tests },
      { path: '^apps/gateway/src/$1/[^/]+/' },
    ),
    only(
      'gateway-folders-apart',
      'Folders of one room do not know each other, such as MCP and the chat.',
      { path: '^apps/gateway/src/([^/]+)/([^/]+)/', pathNot: tests },
      { path: '^apps/gateway/src/$1/[^/]+/', pathNot: '^apps/gateway/src/$1/$2/' },
    ),
    only(
      'gateway-waiting-below',
      'What people are asked lies below the pipeline, which asks them.',
      { path: '^apps/gateway/src/calls/waiting/', pathNot: tests },
      { path: '^apps/gateway/src/calls/[^/]+$' },
    ),
    only(
      'handlers-anywhere',
      'Handlers, and what serves them from a machine of a tenant, know no queue, no store and no gateway.',
      { path: '^libs/(handlers|serve)/', pathNot: '\\.test\\.ts$' },
      { path: '^libs/', pathNot: '^libs/(handlers|serve|contracts)/' },
    ),
    only(
      'retrieval-in-workers',
      'Only workers search, and the gateway in the list of its own tools.',
      { path: '^(apps/gateway|libs/(contracts|transport|worker|platform))/', pathNot: '^apps/gateway/src/doors/tool-finder\\.ts$' },
      { path: '^libs/(retrieval|knowledge)/' },
    ),
    only(
      'retrieval-alone',
      'Search in Postgres does not depend on this product.',
      { path: '^libs/retrieval/', pathNot: '\\.test\\.ts$|/test-[^/]+\\.ts$' },
      { path: '^libs/', pathNot: '^libs/retrieval/' },
    ),
    only(
      'conversations-in-the-database',
      'Conversations are rows of the database. The library calls no model and serves no requests.',
      { path: '^libs/conversations/', pathNot: '\\.test\\.ts$' },
      { path: '^libs/', pathNot: '^libs/(conversations|contracts|platform)/' },
    ),
    only(
      'models-implement-retrieval',
      'Models implement the interfaces of the search. They do not know what is searched or who asks.',
      { path: '^libs/models/', pathNot: '\\.test\\.ts$' },
      { path: '^libs/', pathNot: '^libs/(contracts|models|retrieval|platform)/' },
    ),
    only(
      'accounts-of-users',
      'Accounts of users are rows of the database, with sealed tokens. Gateways and workers use them alike.',
      { path: '^libs/accounts/', pathNot: '\\.test\\.ts$|/test-[^/]+\\.ts$' },
      { path: '^libs/', pathNot: '^libs/(accounts|contracts|platform|transport)/' },
    ),
    only(
      'oauth-inside',
      'One place speaks OAuth with providers, and one with the issuer of the console.',
      { path: '^(libs|apps)/', pathNot: '^libs/accounts/|^apps/gateway/src/callers/oidc/|\\.test\\.ts$|/test-[^/]+\\.ts$' },
      { path: 'node_modules/oauth4webapi/' },
    ),
    only(
      'queue-inside',
      'Only transport, worker and the board import BullMQ.',
      { path: '^(libs|apps)/', pathNot: '^libs/(transport|worker)/|^apps/gateway/src/operations/bull-board\\.ts$' },
      { path: 'node_modules/bullmq/' },
    ),
    only(
      'otel-sdk-inside',
      'Only the start of tracing imports the SDK. All other code uses the API; a test may bring what that start sets up.',
      { pathNot: '^libs/platform/src/telemetry/(register|export-measures)\\.ts$|^libs/testing/|\\.test\\.ts$' },
      { path: 'node_modules/@opentelemetry/(sdk|otlp|exporter|instrumentation|resources|core|context)' },
    ),
    only(
      'one-door-a-lib',
      'A library is imported through its index.',
      { path: '^(apps|libs)/([^/]+)/' },
      { path: '^libs/[^/]+/src/.+', pathNot: '^libs/[^/]+/src/index\\.ts$|^$1/$2/|^libs/platform/src/telemetry/register\\.ts$' },
    ),
    only(
      'derivations-know-no-tool',
      'Shared code works for every tool and names none.',
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
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json'],
    },
  },
};
