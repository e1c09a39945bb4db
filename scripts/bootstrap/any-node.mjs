/** What people and scripts run again and again. Neither needs anything that Node 20 lacks. */
const quick = ['call', 'tools'];

/**
 * Whether a command line runs on the Node that is there, 20 or newer: the helps, a call, the list of tools. To start a second Node, the one
 * of the packages, costs more processor time than these take. Where options stand before the command, it goes the way of all.
 */
export function runsOnAnyNode([word = '--help', ...rest]) {
  return quick.includes(word) || word === 'help' || [word, ...rest].some((arg) => arg === '--help' || arg === '-h');
}
