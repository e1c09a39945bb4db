import { basename } from 'node:path';
import { Controller, Get } from '@nestjs/common';
import { coreSkill, lintSkills, SkillLibrary } from '#lib/skills';
import { Route } from '../http/route.js';

/** What the agent can do, as its skills say it. */
@Controller('skills')
export class SkillsController {
  constructor(private readonly library: SkillLibrary) {}

  /**
   * Every skill that lies in the folder now, with the size of its instructions against its budget, and those that are not
   * loaded with the reason. `loaded` is how much of it the model has in every conversation; the rest comes when it is chosen.
   */
  @Route({ docs: { id: 'listSkills', summary: "The agent's skills, and what each is for", tag: 'chat' } })
  @Get()
  async list(): Promise<object> {
    const set = await this.library.current();
    const lint = new Map(lintSkills(set).map((line) => [line.skill, line]));
    return {
      skills: [...set.skills.values()].map(({ name, description, version, author, requires, tools, collections, files, tokens }) => ({
        name,
        description,
        version,
        author,
        loaded: name === coreSkill ? 'instructions' : 'description',
        requires,
        tools,
        collections,
        files,
        tokens,
        budget: lint.get(name)?.budget ?? null,
        faults: lint.get(name)?.faults ?? [],
      })),
      not_loaded: set.faults.map(({ folder, reason }) => ({ name: basename(folder), reason })),
    };
  }
}
