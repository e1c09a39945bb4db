// The part of pdfmake that the PDF renderer uses. Its published types bring the browser's globals into the whole project.
declare module 'pdfmake' {
  type Margin = readonly [left: number, top: number, right: number, bottom: number];

  interface Style {
    readonly fontSize?: number;
    readonly bold?: boolean;
    readonly color?: string;
    readonly margin?: Margin;
    readonly alignment?: 'left' | 'center' | 'right';
    readonly decoration?: 'underline' | 'lineThrough';
    readonly background?: string;
    readonly fillColor?: string;
    readonly sup?: boolean;
    readonly link?: string;
    readonly width?: number;
    readonly preserveLeadingSpaces?: boolean;
  }

  interface TableLayout {
    readonly hLineWidth?: (at: number) => number;
    readonly vLineWidth?: (at: number) => number;
    readonly hLineColor?: () => string;
    readonly vLineColor?: () => string;
    readonly paddingLeft?: () => number;
  }

  interface Line {
    readonly type: 'line';
    readonly x1: number;
    readonly y1: number;
    readonly x2: number;
    readonly y2: number;
    readonly lineWidth: number;
    readonly lineColor: string;
  }

  interface Table {
    readonly widths: readonly '*'[];
    readonly body: readonly (readonly Content[])[];
    readonly headerRows?: number;
    readonly dontBreakRows?: boolean;
  }

  export type Content = Style &
    (
      | { readonly text: string | readonly Content[] }
      | { readonly stack: readonly Content[] }
      | { readonly columns: readonly Content[] }
      | { readonly ul: readonly Content[] }
      | { readonly ol: readonly Content[]; readonly start?: number }
      | { readonly table: Table; readonly layout?: TableLayout | 'noBorders' }
      | { readonly canvas: readonly Line[] }
    );

  interface DocumentDefinition {
    readonly info: { readonly title: string };
    readonly pageSize: 'A4';
    readonly pageMargins: Margin;
    readonly defaultStyle: { readonly font: string; readonly fontSize: number; readonly lineHeight: number };
    readonly footer: (page: number, pages: number) => Content;
    readonly content: readonly Content[];
  }

  interface FontFiles {
    readonly normal: string;
    readonly bold: string;
    readonly italics: string;
    readonly bolditalics: string;
  }

  interface Pdfmake {
    /** Files that live in memory alone; fonts are read from here. */
    readonly virtualfs: { readonly writeFileSync: (name: string, bytes: Buffer) => void };
    setFonts(fonts: Readonly<Record<string, FontFiles>>): void;
    setUrlAccessPolicy(isAllowed: (url: string) => boolean): void;
    setLocalAccessPolicy(isAllowed: (path: string) => boolean): void;
    /** @param onShare told which part of the pages is written, 0–1 */
    setProgressCallback(onShare: (share: number) => void): void;
    createPdf(definition: DocumentDefinition): { getBuffer(): Promise<Buffer> };
  }

  const pdfmake: Pdfmake;
  export default pdfmake;
}
