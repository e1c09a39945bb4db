import { resolve } from 'node:path';
import { Module } from '@nestjs/common';
import { SkillLibrary } from '#lib/skills';
import { Stores } from '../stores.js';
import { SkillsController } from './skills.controller.js';

@Module({
  controllers: [SkillsController],
  providers: [
    {
      provide: SkillLibrary,
      inject: [Stores],
      useFactory: ({ settings }: Stores) => new SkillLibrary({ folders: [resolve(settings.SKILLS_DIR)] }),
    },
  ],
})
export class SkillsModule {}
