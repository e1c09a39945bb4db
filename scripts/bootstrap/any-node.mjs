/** What people and scripts run again and again, and the overview. None needs anything that Node 20 lacks. */
const quick = ['call', 'tools', 'help', '--help', '-h'];

/**
 * Whether a command line runs on the Node that is there, 20 or newer. To start a second Node, the one of the packages, costs more processor
 * time than these take. Where options stand before the command, it goes the way of all.
 */
export function runsOnAnyNode([word = '--help']) {
  return quick.includes(word);
}
