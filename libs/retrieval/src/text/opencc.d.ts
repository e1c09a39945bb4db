declare module 'opencc-js/dict/TSCharacters' {
  /** Rows of a traditional character and its simplified ones, the usual one first: `乾 干|亂 乱`. */
  const table: string;
  export default table;
}
