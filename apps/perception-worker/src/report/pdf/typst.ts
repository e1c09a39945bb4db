// Typst lays out the pages: it knows the rules of scripts, directions and line ends of Unicode, and breaks what is higher than a page.
import type * as Typst from '@myriaddreamin/typst-ts-web-compiler';
import { z } from 'zod';
import { readPackageFile } from '../package-file.js';

const compiled = z.union([
  z.object({ result: z.instanceof(Uint8Array) }),
  z.object({ diagnostics: z.array(z.union([z.string(), z.looseObject({ message: z.string() })])) }),
]);
const name = '@myriaddreamin/typst-ts-web-compiler';
/** How Typst tells of faults: as text with places. */
const asText = 3;

interface TypstOrder {
  readonly fonts: readonly Buffer[];
  /** By path. The first is that of the document. */
  readonly files: Readonly<Record<string, string>>;
}

let loaded: Promise<typeof Typst> | undefined;
let loads = 0;

/** Compiles `/main.typ` to a PDF. Typst has no files but these, and no network. @throws Error for a fault of the template */
export async function compileTypst({ fonts, files }: TypstOrder): Promise<Uint8Array> {
  const typst = await (loaded ??= load());
  const builder = new typst.TypstCompilerBuilder();
  builder.set_dummy_access_model();
  for (const font of fonts) await builder.add_raw_font(font);
  const compiler = await builder.build();
  try {
    for (const [path, text] of Object.entries(files)) compiler.map_shadow(path, Buffer.from(text));
    const answer = compiled.parse(compiler.compile('/main.typ', undefined, 'pdf', asText));
    if ('result' in answer) return answer.result;
    throw new Error(`Typst: ${JSON.stringify(answer.diagnostics).slice(0, 2_000)}`);
  } catch (error) {
    // What has trapped may be in any state: the next report gets another.
    if (error instanceof RangeError || (error instanceof Error && error.name === 'RuntimeError')) loaded = undefined;
    throw error;
  } finally {
    if (loaded) {
      compiler.reset();
      compiler.free();
    }
  }
}

async function load(): Promise<typeof Typst> {
  loads += 1;
  // A module keeps its memory for ever: a further one has another address.
  const typst = (await import(`${import.meta.resolve(`${name}/pkg/typst_ts_web_compiler.mjs`)}?${loads}`)) as typeof Typst;
  typst.initSync({ module: await readPackageFile(`${name}/wasm`) });
  return typst;
}
