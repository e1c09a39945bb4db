import { Module } from '@nestjs/common';
import { CallFlows } from './call-flows.js';
import { CallPauses } from './call-pauses.js';
import { FlowDirectory } from './flow-directory.js';
import { FlowKeeper } from './flow-keeper.js';
import { FlowStore } from './flow-store.js';
import { PauseDirectory } from './pause-directory.js';
import { PauseKeeper } from './pause-keeper.js';
import { PauseStore } from './pause-store.js';
import { WaitingLines } from './waiting-lines.js';

/** When calls may run: what is paused, and what waits for other calls. */
@Module({
  providers: [PauseStore, PauseDirectory, CallPauses, PauseKeeper, FlowStore, FlowDirectory, CallFlows, FlowKeeper, WaitingLines],
  exports: [PauseStore, PauseDirectory, CallPauses, PauseKeeper, FlowStore, FlowDirectory, CallFlows, FlowKeeper, WaitingLines],
})
export class FlowModule {}
