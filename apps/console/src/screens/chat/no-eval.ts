// The AI SDK checks messages with Zod, which otherwise tries whether it may compile code. The content policy forbids that, and reports it.
import { config } from 'zod/v4/core';

config({ jitless: true });
