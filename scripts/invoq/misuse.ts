/** The command line is wrong; the message says how it would be right. */
export class Misuse extends Error {}
