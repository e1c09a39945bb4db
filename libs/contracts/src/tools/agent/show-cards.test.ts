import { describe, expect, test } from '@jest/globals';
import { validateInput } from '../../validate.js';
import { testParameters } from '../../test-parameters.js';
import { readSkillFile } from './read-skill-file.js';
import { showInsight } from './show-insight.js';
import { showReport } from './show-report.js';
import { useSkill, useSkillTool } from './use-skill.js';

const section = { heading: '总论', content: '内容。' };

testParameters(showInsight, {
  good: { title: '一个想法', content: '休息也是工作。' },
  fields: {
    title: {
      required: true,
      takes: ['a', '八'.repeat(80)],
      refuses: [
        ['', 'must have at least 1 character'],
        ['a'.repeat(81), 'must have at most 80 characters'],
        [1, 'must be string, not number'],
      ],
    },
    content: {
      required: true,
      takes: ['a', '想'.repeat(1_000)],
      refuses: [
        ['', 'must have at least 1 character'],
        ['a'.repeat(1_001), 'must have at most 1000 characters'],
        [{}, 'must be string, not object'],
      ],
    },
    tone: {
      byDefault: 'neutral',
      takes: ['positive', 'neutral', 'caution'],
      refuses: [
        ['angry', 'must be one of [positive, neutral, caution]'],
        ['', 'must be one of [positive, neutral, caution]'],
      ],
      query: [['caution', 'caution']],
    },
  },
});

testParameters(showReport, {
  good: { title: '报告', summary: '摘要。', sections: [section] },
  fields: {
    title: {
      required: true,
      takes: ['a', 'a'.repeat(120)],
      refuses: [
        ['', 'must have at least 1 character'],
        ['a'.repeat(121), 'must have at most 120 characters'],
      ],
    },
    summary: {
      required: true,
      takes: ['a', 'a'.repeat(1_000)],
      refuses: [
        ['', 'must have at least 1 character'],
        ['a'.repeat(1_001), 'must have at most 1000 characters'],
      ],
    },
    sections: {
      required: true,
      takes: [[section], Array.from({ length: 20 }, () => section), [{ heading: 'h'.repeat(120), content: 'c'.repeat(8_000) }]],
      refuses: [
        [[], 'must have at least 1 item'],
        [Array.from({ length: 21 }, () => section), 'must have at most 20 items'],
        [section, 'must be array, not object'],
        [[{ heading: 'h' }], 'Missing required parameter: sections.0.content'],
        [[section, { ...section, heading: '' }], "Parameter 'sections.1.heading' must have at least 1 character"],
        [[{ ...section, heading: 'h'.repeat(121) }], "Parameter 'sections.0.heading' must have at most 120 characters"],
        [[{ ...section, content: 'c'.repeat(8_001) }], "Parameter 'sections.0.content' must have at most 8000 characters"],
        [[{ ...section, image: 'x' }], 'Unexpected parameter: sections.0.image'],
        [['text'], "Parameter 'sections.0' must be object, not string"],
      ],
    },
  },
});

testParameters(useSkill, {
  good: { skills: ['bazi'], topic: 'self' },
  fields: {
    skills: {
      required: true,
      takes: [[], ['bazi'], ['bazi', 'zodiac'], Array.from({ length: 8 }, () => 'bazi')],
      refuses: [
        [Array.from({ length: 9 }, () => 'bazi'), 'must have at most 8 items'],
        [['tarot'], "Parameter 'skills.0' must be one of [bazi, zodiac]"],
        ['bazi', 'must be array, not string'],
      ],
      query: [['bazi,zodiac', ['bazi', 'zodiac']]],
    },
    topic: {
      required: true,
      takes: ['career', 'relationship', 'fortune', 'health', 'self', 'general'],
      refuses: [['weather', 'must be one of [career, relationship, fortune, health, self, general]']],
    },
  },
});

testParameters(readSkillFile, {
  good: { skill: 'bazi', file: 'TERMS.md' },
  fields: {
    skill: {
      required: true,
      takes: ['a', 'a'.repeat(64)],
      refuses: [
        ['', 'must have at least 1 character'],
        ['a'.repeat(65), 'must have at most 64 characters'],
      ],
    },
    file: {
      required: true,
      takes: ['a', 'a'.repeat(200)],
      refuses: [
        ['', 'must have at least 1 character'],
        ['a'.repeat(201), 'must have at most 200 characters'],
      ],
    },
  },
});

describe('the choice among skills', () => {
  test('is among those that are there, so that a user’s own skill can be chosen by its name', () => {
    const contract = useSkillTool(['bazi', 'tarot']);
    expect(validateInput(contract, { skills: ['tarot'], topic: 'self' })).toEqual({ skills: ['tarot'], topic: 'self' });
    expect(() => validateInput(contract, { skills: ['zodiac'], topic: 'self' })).toThrow('must be one of [bazi, tarot]');
    expect(() => validateInput(useSkill, { skills: ['tarot'], topic: 'self' })).toThrow('must be one of [bazi, zodiac]');
  });

  test('keeps name and version whatever the skills are', () => {
    const { name, version, timeoutMs } = useSkillTool(['one']);
    expect({ name, version, timeoutMs }).toEqual({ name: useSkill.name, version: useSkill.version, timeoutMs: useSkill.timeoutMs });
  });
});
