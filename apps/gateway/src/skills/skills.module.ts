import { resolve } from 'node:path';
import { Module } from '@nestjs/common';
import { SkillLibrary } from '#lib/skills';
import { Infrastructure } from '../infrastructure/infrastructure.js';
import { SkillsController } from './skills.controller.js';

@Module({
  controllers: [SkillsController],
  providers: [
    {
      provide: SkillLibrary,
      inject: [Infrastructure],
      useFactory: ({ settings }: Infrastructure) => new SkillLibrary({ folders: [resolve(settings.SKILLS_DIR)] }),
    },
  ],
})
export class SkillsModule {}
