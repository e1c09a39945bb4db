import { Module } from '@nestjs/common';
import { FileLinks, Files } from '#lib/files';
import { CallCounts, TakeUpRate } from '#lib/transport';
import { Stores } from '../stores.js';
import { Approvals } from '../inputs/approvals.js';
import { InputsModule } from '../inputs/inputs.module.js';
import { InputStore } from '../inputs/input-store.js';
import { WaitingTurns } from '../inputs/waiting-turns.js';
import { MetacognitionModule } from '../metacognition/metacognition.module.js';
import { ReviewCache } from '../metacognition/review-cache.js';
import { CallRules } from '../rules/call-rules.js';
import { RulesModule } from '../rules/rules.module.js';
import { emptyToolset, ToolsetDirectory } from '../rules/toolset-directory.js';
import { CallBudgets } from '../spending/call-budgets.js';
import { SpendingModule } from '../spending/spending.module.js';
import { CallFlows } from '../flow/call-flows.js';
import { CallPauses } from '../flow/call-pauses.js';
import { FlowModule } from '../flow/flow.module.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { WebhookTenants } from '../outbox/webhook-tenants.js';
import { onceASecond } from '#lib/platform';
import { Admission } from './admission.js';
import { AnswerEnricher } from './answer-enricher.js';
import { Answers } from './answers.js';
import { Calls } from './calls.js';
import { Endings } from './endings.js';
import { FileInliner } from './file-inliner.js';
import { Invoker } from './invoker.js';
import { Limits } from './limits.js';
import { ResultIds } from './result-ids.js';
import { RepeatedCalls } from './repeated-calls.js';
import { ToolDirectory } from './tool-directory.js';

/** The pipeline. Doors use `Calls` and `ToolDirectory` and nothing else of it; lists of records show `Answers`; `Limits` is stopped with the process. */
@Module({
  imports: [MetacognitionModule, InputsModule, RulesModule, OutboxModule, SpendingModule, FlowModule],
  providers: [
    {
      provide: ToolDirectory,
      inject: [Stores, ToolsetDirectory],
      useFactory: ({ catalog, settings }: Stores, sets: ToolsetDirectory) =>
        new ToolDirectory(
          catalog,
          () => settings.LIFECYCLE_DATE ?? new Date(),
          (tenantId, name) => sets.find(tenantId, name) ?? emptyToolset,
        ),
    },
    {
      provide: Limits,
      inject: [Stores],
      useFactory: ({ redis, keys, settings }: Stores) => new Limits(new CallCounts(redis, keys), settings),
    },
    {
      provide: Admission,
      inject: [Stores],
      useFactory: ({ redis, keys, settings, log }: Stores) =>
        new Admission(
          settings,
          new TakeUpRate(redis, keys),
          onceASecond((error: unknown) => log.warn({ event: 'redis-fault', err: error }, 'a queue could not be measured')),
        ),
    },
    {
      provide: Invoker,
      inject: [Stores, ToolDirectory, Limits, Admission, Approvals, CallRules, WebhookTenants, CallBudgets, CallPauses, CallFlows],
      useFactory: (
        { store, partitions, followers, servedDirectory, recentAnswers, accounts, settings, log }: Stores,
        tools: ToolDirectory,
        limits: Limits,
        admission: Admission,
        ...[approvals, rules, webhookTenants, budgets, pauses, flows]: [
          Approvals,
          CallRules,
          WebhookTenants,
          CallBudgets,
          CallPauses,
          CallFlows,
        ]
      ) =>
        new Invoker({
          tools,
          limits,
          admission,
          approvals,
          rules,
          webhookTenants,
          budgets,
          pauses,
          flows,
          recentAnswers,
          exchange: accounts.exchange,
          store,
          partitions,
          followers,
          served: servedDirectory,
          showDebug: showsDebug(settings),
          log,
        }),
    },
    { provide: ResultIds, inject: [Stores], useFactory: ({ settings }: Stores) => new ResultIds(settings.SEALING_KEYS) },
    {
      provide: Answers,
      inject: [Stores, ToolDirectory, FileLinks, ResultIds],
      useFactory: ({ store, sealer, log }: Stores, tools: ToolDirectory, links: FileLinks, resultIds: ResultIds) =>
        new Answers({ store, sealer, tools, links, resultIds, log }),
    },
    {
      provide: AnswerEnricher,
      inject: [Stores, ToolDirectory, Files, FileLinks, ReviewCache],
      useFactory: ({ settings, log }: Stores, tools: ToolDirectory, files: Files, links: FileLinks, reviews: ReviewCache) =>
        new AnswerEnricher({ tools, fileInliner: new FileInliner({ files, links, log }), reviews, showDebug: showsDebug(settings) }),
    },
    {
      provide: Endings,
      inject: [Stores, ToolDirectory, InputStore, WaitingTurns],
      useFactory: ({ store, queues, log }: Stores, tools: ToolDirectory, inputs: InputStore, turns: WaitingTurns) =>
        new Endings({ store, queues, tools, inputs, turns, log }),
    },
    RepeatedCalls,
    {
      provide: Calls,
      inject: [Stores, ToolDirectory, Invoker, Answers, AnswerEnricher, Endings, CallFlows],
      useFactory: (
        { store, partitions, followers }: Stores,
        tools: ToolDirectory,
        invoker: Invoker,
        answers: Answers,
        enricher: AnswerEnricher,
        endings: Endings,
        flows: CallFlows,
      ) => new Calls({ invoker, store, partitions, followers, tools, answers, enricher, endings, flows }),
    },
  ],
  exports: [Calls, RepeatedCalls, Answers, ResultIds, ToolDirectory, Limits],
})
export class CallsModule {}

/** The option `debug` works outside of production alone. */
function showsDebug({ NODE_ENV }: Stores['settings']): boolean {
  return NODE_ENV !== 'production';
}
