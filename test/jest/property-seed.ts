// Jest loads this before every test file.
import fc from 'fast-check';

const { PROPERTY_SEED: seed } = process.env;

// A whole run has one seed: who runs the same commit tries the same values.
if (seed) fc.configureGlobal({ seed: Number(seed) });
