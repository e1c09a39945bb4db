import { Module } from '@nestjs/common';
import { CallRules } from './call-rules.js';
import { PolicyDirectory } from './policy-directory.js';
import { PolicyStore } from './policy-store.js';
import { ToolsetDirectory } from './toolset-directory.js';
import { ToolsetStore } from './toolset-store.js';

/** What is looked at before a call is accepted: the sets and policies of its tenant, and whether its contract asks for an approval. */
@Module({
  providers: [PolicyStore, PolicyDirectory, ToolsetStore, ToolsetDirectory, CallRules],
  exports: [CallRules, PolicyDirectory, PolicyStore, ToolsetDirectory, ToolsetStore],
})
export class RulesModule {}
