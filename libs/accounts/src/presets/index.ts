import type { ProviderPreset } from '#lib/contracts';
import { github } from './github.js';
import { google } from './google.js';
import { linear } from './linear.js';
import { microsoft } from './microsoft.js';
import { notion } from './notion.js';
import type { Preset } from './preset.js';
import { slack } from './slack.js';

export const presets: Readonly<Record<ProviderPreset, Preset>> = { github, google, linear, microsoft, notion, slack };
