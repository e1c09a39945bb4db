import { tools } from '#lib/contracts';
import { createEmbedder, createLanguageModel, priceOf } from '#lib/models';
import { createDatabase, createPool } from '#lib/platform';
import { Retriever, VectorIndex } from '#lib/retrieval';
import { HistoryStream } from '#lib/transport';
import type { WorkerDefinition } from '#lib/worker';
import { BackgroundLoop } from './background-loop.js';
import type { MemotreeSettings } from './config.js';
import { deleteOldEffects } from './effects.js';
import { modelSummariser } from './model-summariser.js';
import { NodeIndex } from './search/node-index.js';
import { turnsOf, type MemotreeServices } from './services.js';
import { extractive, Summaries } from './summaries.js';
import { SummaryCosts } from './summary-costs.js';
import { Texts } from './text/texts.js';
import { deleteOldStates } from './views.js';
import * as handlers from './tools/index.js';

/** Imports and large commits are single statements that may take tens of seconds. */
const statementTimeoutMs = 60_000;

/** The worker of the domain `memotree`. @param root the folder that holds `dist` and `node_modules` */
export function memotreeWorker(settings: MemotreeSettings, root: string): WorkerDefinition<MemotreeServices> {
  return {
    domain: 'memotree',
    settings,
    contracts: tools,
    handlers: Object.values(handlers),
    open: (log, { redis, keys, clock, metrics }) => {
      const { DATABASE_URL: url, DATABASE_POOL: poolSize } = settings;
      const connections = { url, poolSize, name: 'memotree-worker', statementTimeoutMs };
      const database = createDatabase({ ...connections, prepared: true });
      const pool = createPool(connections);
      const embedder = createEmbedder(settings);
      const vectors = embedder && new VectorIndex(pool, embedder);
      const index = new NodeIndex(database, vectors, log);
      const model = createLanguageModel(settings);
      const costs =
        model &&
        new SummaryCosts({
          database,
          ended: new HistoryStream(redis, keys),
          model: model.modelId,
          priceOf: priceOf(settings.MODEL_PRICES, [settings.MODEL, model.modelId]),
          now: clock.now,
        });
      const summariser = model ? modelSummariser(model) : extractive;
      const summaries = new Summaries(database, { summariser, costs, metrics }, log);
      const background = new BackgroundLoop(
        [
          { name: 'summaries', run: (signal) => summaries.runDue(signal) },
          { name: 'vectors', run: (signal) => index.embedMissing(signal) },
          { name: 'effects', run: () => deleteOldEffects(database) },
          { name: 'views', run: () => deleteOldStates(database, settings.VIEW_DAYS) },
        ],
        log,
      );
      background.start();
      const texts = new Texts(root);
      return {
        questions: database,
        services: {
          database,
          turns: turnsOf(poolSize),
          index,
          search: { retriever: new Retriever({ pool, vectors }), sql: pool },
          texts,
          wakeBackground: () => background.wake(),
        },
        checks: { postgres: () => database.$queryRaw`SELECT 1` },
        close: async () => {
          texts.close();
          await background.close();
          await pool.end();
          await database.$disconnect();
        },
      };
    },
  };
}
