/**
 * The client sends a command again when its connection broke before the reply. So every write of a run has a number, the record
 * remembers the latest (field `wrote`, so many characters of it), and one that comes again is found to be there.
 */
export const rememberedWrites = 400;
