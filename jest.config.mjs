import { readFileSync } from 'node:fs';
import { machineMemory } from './scripts/machine-memory.ts';

const swcrc = JSON.parse(readFileSync(new URL('.swcrc', import.meta.url), 'utf8'));

// Watching runs a file again in the same process, so it has to load modules anew.
const isWatching = process.argv.some((arg) => arg.startsWith('--watch'));

/** @type {import('jest').Config} */
export default {
  // Decision 97 has why.
  ...(!isWatching && { runtime: '<rootDir>/test/jest/native-runtime.ts' }),
  testEnvironment: isWatching ? 'node' : '<rootDir>/test/jest/native-environment.ts',
  // For files that have a context of their own.
  testEnvironmentOptions: { customExportConditions: ['invoq-source', 'node', 'node-addons'] },
  roots: [
    '<rootDir>/apps',
    '<rootDir>/libs',
    '<rootDir>/scripts',
    '<rootDir>/test',
    '<rootDir>/bench',
    '<rootDir>/chaos',
    '<rootDir>/fuzz',
    '<rootDir>/security',
    '<rootDir>/world/suite',
    '<rootDir>/knowledge',
  ],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  setupFiles: ['reflect-metadata'],
  setupFilesAfterEnv: ['<rootDir>/test/jest/allow-retries.ts', '<rootDir>/test/jest/property-seed.ts'],
  reporters: ['default', '<rootDir>/test/jest/retry-reporter.ts', '<rootDir>/test/jest/failed-files-reporter.ts'],
  testSequencer: '<rootDir>/test/jest/sequencer.ts',
  // Sources name each other as the built files will be named.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': ['@swc/jest', { ...swcrc, swcrc: false, sourceMaps: 'inline' }] },
  // Temporary folders are those of one run.
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  testTimeout: 30_000,
  // Modules of test files that have ended stay in memory. A new worker starts with none, and loads all anew.
  workerIdleMemoryLimit: '1.5GB',
  // Tests of whole systems wait half of the time, for timers and for processes. Eight at once leave less of it idle than five, and take a tenth more of
  // the processor: each loads and compiles everything once. Each has up to two gigabytes with the processes that it starts.
  maxWorkers: Math.max(2, Math.min(6, Math.floor(machineMemory() / 2e9))),
};
