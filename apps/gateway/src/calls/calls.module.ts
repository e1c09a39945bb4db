import { Module } from '@nestjs/common';
import { Stores } from '../stores.js';
import { WaitingModule } from './waiting/waiting.module.js';
import { MetacognitionModule } from '../metacognition/metacognition.module.js';
import { RulesModule } from '../rules/rules.module.js';
import { emptyToolset, ToolsetDirectory } from '../rules/toolset-directory.js';
import { SpendingModule } from '../rules/spending/spending.module.js';
import { FlowModule } from '../rules/flow/flow.module.js';
import { OutboxModule } from '../outbox/outbox.module.js';
import { Admission } from './admission.js';
import { AnswerEnricher } from './answer-enricher.js';
import { Answers } from './answers.js';
import { CallAcceptor } from './call-acceptor.js';
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
  imports: [MetacognitionModule, WaitingModule, RulesModule, OutboxModule, SpendingModule, FlowModule],
  providers: [
    // Also made by hand: for each caller there is one of the tools that it sees.
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
    Limits,
    Admission,
    CallAcceptor,
    Invoker,
    ResultIds,
    Answers,
    FileInliner,
    AnswerEnricher,
    Endings,
    RepeatedCalls,
    Calls,
  ],
  exports: [Calls, RepeatedCalls, Answers, ResultIds, ToolDirectory, Limits],
})
export class CallsModule {}
