import { Module } from '@nestjs/common';
import { CallsModule } from '../calls/calls.module.js';
import { RulesModule } from '../rules/rules.module.js';
import { PoliciesController } from './policies.controller.js';

@Module({ imports: [CallsModule, RulesModule], controllers: [PoliciesController] })
export class PoliciesModule {}
