declare module 'subset-font' {
  interface SubsetOptions {
    readonly targetFormat?: 'sfnt' | 'woff' | 'woff2';
    /** Instructions for screens of few points. */
    readonly noHinting?: boolean;
    readonly dropTables?: readonly string[];
    /** Fixes axes of a variable font. */
    readonly variationAxes?: Readonly<Record<string, number>>;
  }

  /** Cuts a font down to the characters of a text. */
  export default function subsetFont(font: Buffer, text: string, options?: SubsetOptions): Promise<Buffer>;
}

declare module 'fontverter' {
  const fontverter: { convert(font: Buffer, to: 'sfnt' | 'woff2'): Promise<Buffer> };
  export default fontverter;
}
