import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { estimateTokens } from '#lib/contracts';
import { coreSkill } from '#lib/skills';
import { eventually, startTimeoutMs, type HttpCaller } from '#lib/testing';
import { z } from 'zod';
import { chat, scripted, startChatSystem, type ChatSystem } from '../chat-system.js';
import { makeSkillFolder, type SkillFolder } from '../skill-folder.js';
import { verifies } from '../verifies.js';
import { inProcess } from '../in-process.js';

describe('skills in a folder', () => {
  let lab: ChatSystem;
  let user: HttpCaller;
  let skills: SkillFolder;

  beforeAll(async () => {
    skills = await makeSkillFolder();
    lab = await startChatSystem({ inProcess, gatewayEnv: { SKILLS_DIR: skills.path }, agentEnv: { SKILLS_DIR: skills.path } });
    user = await lab.system.caller({ tier: 'vip' });
  }, startTimeoutMs);
  afterAll(async () => {
    await lab?.[Symbol.asyncDispose]();
    await skills?.[Symbol.asyncDispose]();
  });

  verifies(['VL-07', 'VL-37'], 'are used as edited with the next conversation, and a malformed one is lost alone', async () => {
    const ask = async () => {
      const message = scripted(
        lab.model,
        { calls: [{ name: 'use_skill', arguments: { skills: ['mine'], topic: 'self' } }] },
        { text: 'ok' },
      );
      await chat(user, { message });
      return lab.model.asked(message);
    };
    expect((await ask())[1]?.system).toContain('First text of mine.');
    await skills.write('mine', 'Second text of mine.');
    await skills.write('yours', 'Yours.');
    await writeFile(join(skills.path, 'yours', 'SKILL.md'), 'not a skill');
    const [first, second] = await eventually(async () => {
      const asked = await ask();
      return asked[1]?.system.includes('Second text of mine.') && asked;
    });
    expect(first?.system).not.toContain('yours');
    expect(estimateTokens(second?.system ?? '')).toBeLessThanOrEqual(5_000);
    // A tool that the skill names and the gateway has is on offer, without a line of code here.
    expect(second?.tools).toContain('calc_metrics');
    expect(first?.tools).not.toContain('calc_metrics');
    await eventually(() => lab.agents[0]?.logs().some(({ event }) => event === 'skill-refused'), { what: 'the refused skill in the log' });
  });

  verifies(['VL-37'], 'are listed, with how much of each is loaded, and why one is not', async () => {
    const skillsShape = z.object({
      skills: z.array(
        z.looseObject({ name: z.string(), loaded: z.string(), tokens: z.number(), budget: z.number(), faults: z.array(z.string()) }),
      ),
      not_loaded: z.array(z.object({ name: z.string(), reason: z.string() })),
    });
    await skills.write('large', '字'.repeat(1_501));
    await mkdir(join(skills.path, 'broken'), { recursive: true });
    await writeFile(join(skills.path, 'broken', 'SKILL.md'), 'not a skill');
    const listed = await eventually(async () => {
      const answer = (await user.get('/skills')).as(skillsShape);
      return answer.not_loaded.some(({ name }) => name === 'broken') && answer;
    });
    const skill = (name: string) => listed.skills.find((one) => one.name === name);
    expect(skill(coreSkill)).toMatchObject({ loaded: 'instructions', budget: 2_000, faults: [] });
    expect(skill('mine')).toMatchObject({
      description: 'The skill mine',
      loaded: 'description',
      tools: ['calc_metrics'],
      collections: ['mine'],
    });
    expect(skill('large')).toMatchObject({ tokens: 1_501, budget: 1_500, faults: ['1501 tokens, more than 1500'] });
    expect(listed.not_loaded.find(({ name }) => name === 'broken')?.reason).toContain('front matter');
    expect((await lab.system.anonymous.get('/skills')).status).toBe(401);
  });
});
