const name = /^(?!\.+$)[\w.-]+$/;

/** The key itself. Throws TypeError for what is no path of plain names, such as one that leads out of the storage. */
export function checkedKey(key: string): string {
  if (key.split('/').every((part) => name.test(part))) return key;
  throw new TypeError(`${JSON.stringify(key)} is no key of a file: names of letters, digits, _, - and ., joined by /`);
}
